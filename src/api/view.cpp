#include <cartan/view.h>

#include "api/inside.h"
#include "core/private_folder.h"
#include "results/refusal.h"
#include "results/view_source.h"

namespace cartan::api {
namespace {

std::string page_of(ViewSource source, const ViewOptions& options) {
  source.compare = options.compare;
  source.modes = options.modes;
  if (options.frames && *options.frames < 2) refuse("view", "--frames: expected 2 or more");
  if (options.frames) source.limits.frames = *options.frames;
  return page_around(read_view_source(source, options.watch));
}

}  // namespace

std::string view(const Model& model, const ViewOptions& options) {
  ViewSource source;
  source.shown = source_of(model);
  return page_of(std::move(source), options);
}

std::string view_run(const Run& run, const ViewOptions& options) {
  const TemporaryFolder folder("cartan-view");
  if (folder.path().empty()) fail("view", folder.problem());
  ViewSource source;
  // the name of the folder is the title of the picture
  const bool plain = run.model.find('/') == std::string::npos && !run.model.starts_with('.');
  source.shown.path = (folder.path() / (plain && !run.model.empty() ? run.model : "run")).string();
  run.save(source.shown.path, true);
  return page_of(std::move(source), options);
}

std::string view_folder(const std::string& folder, const ViewOptions& options) {
  ViewSource source;
  source.shown.path = folder;
  return page_of(std::move(source), options);
}

}  // namespace cartan::api
