#include "import/import.h"

#include <algorithm>
#include <filesystem>

#include "core/source_files.h"
#include "import/import_context.h"
#include "io/toml_reader.h"

namespace cartan::import {
namespace fs = std::filesystem;
namespace {

// Elements of xacro, the macro language of ROS, or its ${..} in attributes.
bool uses_xacro(const XmlElement& element) {
  if (element.name.starts_with("xacro:")) return true;
  for (const XmlAttribute& a : element.attributes)
    if (a.value.find("${") != std::string::npos || a.value.find("$(") != std::string::npos)
      return true;
  return std::any_of(element.children.begin(), element.children.end(), uses_xacro);
}

std::string head_text(const std::string& format, const std::string& path,
                      const ImportReport& report) {
  std::string text =
      "Made by `cartan import` from " + fs::path(path).filename().string() + " (" + format + ").\n";
  if (!report.not_carried.empty()) text += "Not carried over:\n";
  for (const ImportReport::Left& left : report.not_carried)
    text += "  " + left.kind + " (" + std::to_string(left.count) + "): " + left.why + "\n";
  for (const ImportReport::Note& note : report.notes) text += note.text + "\n";
  return text;
}

std::string stem_of(const std::string& path) {
  return fs::path(path).stem().string();
}

}  // namespace

void ImportReport::carry(const std::string& kind, int count) {
  if (count == 0) return;
  for (auto& [name, n] : carried)
    if (name == kind) {
      n += count;
      return;
    }
  carried.emplace_back(kind, count);
}

void ImportReport::leave(const std::string& kind, Location where, const std::string& why,
                         int count) {
  if (count == 0) return;
  for (Left& left : not_carried)
    if (left.kind == kind) {
      left.count += count;
      return;
    }
  not_carried.push_back({kind, why, count, where});
}

std::optional<ImportedModel> import_model_text(const std::string& text, const std::string& path,
                                               const ImportOptions& options,
                                               Diagnostics& problems) {
  std::optional<XmlElement> root = parse_xml(text, 0, problems);
  if (!root) return std::nullopt;
  ImportContext context{options, problems, path, fs::path(path).parent_path().string()};
  ImportedModel result;
  context.draft.name = stem_of(path);
  if (root->name != "mujoco" && root->name != "sdf" && uses_xacro(*root)) {
    problems.error(root->where, "this is xacro, a macro language: expand it first, `xacro " +
                                    fs::path(path).filename().string() +
                                    " > expanded.urdf`, and give what comes out");
    return std::nullopt;
  }
  if (root->name == "robot") {
    result.format = "URDF";
    import_urdf(*root, context);
  } else if (root->name == "mujoco" || root->name == "mujocoinclude") {
    result.format = "MJCF";
    import_mjcf(std::move(*root), context);
  } else if (root->name == "sdf" || root->name == "gazebo") {
    result.format = "SDF";
    import_sdf(*root, context);
  } else {
    problems.error(root->where, "the root element is <" + root->name +
                                    ">; expected <robot> (URDF), <mujoco> (MJCF) or <sdf>");
  }
  if (problems.has_errors()) return std::nullopt;
  finish_limits(context);
  context.report.carry("bodies", static_cast<int>(context.draft.bodies.size()));
  context.report.carry("joints", static_cast<int>(context.draft.joints.size()));
  context.draft.head = head_text(result.format, path, context.report);
  Draft::Text written = context.draft.write();
  result.text = std::move(written.text);
  result.places = std::move(written.places);
  result.report = std::move(context.report);
  return result;
}

std::optional<ImportedModel> import_model_file(const std::string& path,
                                               const ImportOptions& options,
                                               Diagnostics& problems) {
  const std::optional<std::string> text = read_xml_text(path, {}, problems);
  return text ? import_model_text(*text, path, options, problems) : std::nullopt;
}

}  // namespace cartan::import
