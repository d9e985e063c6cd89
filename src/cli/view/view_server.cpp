#include "cli/view/view_server.h"

#include <fmt/core.h>

#include "core/part_library.h"

namespace cartan::cli {

std::unique_ptr<ViewServer> ViewServer::start(ViewContent content, int port, std::string& problem) {
  decltype(&cartan_start_view_server) start_server = nullptr;
  load_part("server").find("cartan_start_view_server", start_server);
  if (start_server) return std::unique_ptr<ViewServer>(start_server(&content, port, &problem));
  problem = explain_missing_part("server");
  return nullptr;
}

std::string ViewServer::address() const {
  return fmt::format("http://127.0.0.1:{}/", port());
}

}  // namespace cartan::cli
