#include "cli/view/view_server.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/core.h>

#include "cli/view/limited_server.h"
#include "io/result_folder.h"
#include "report/viewer_data.h"

namespace cartan::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* loopback = "127.0.0.1";
constexpr std::size_t largest_picture = std::size_t{32} << 20;

// Everything is in the page; it may talk to this server and to nobody else.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

void answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

// As it is: the library would compress it first, which on loopback takes longer than to send it.
void send(httplib::Response& response, std::string content, const char* type) {
  if (content.empty()) return response.set_content("", type);
  const auto kept = std::make_shared<const std::string>(std::move(content));
  response.set_content_provider(
      kept->size(), type, [kept](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(kept->data() + offset, std::min(length, kept->size() - offset));
      });
}

// A page of another site that has itself resolved to 127.0.0.1 comes with its own name.
bool is_our_name(const std::string& host, int port) {
  for (const char* name : {loopback, "localhost"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

// A result file of the folder itself: no other name, and no link that leads elsewhere.
bool read_result_file(const std::string& folder, const std::string& name, std::string& content) {
  const std::vector<std::string>& names = run_file_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  std::error_code error;
  const fs::path home = fs::canonical(folder, error);
  if (error) return false;
  const fs::path path = fs::canonical(home / name, error);
  if (error || path.parent_path() != home || !fs::is_regular_file(path, error)) return false;
  std::string damage;
  if (!check_result_file(path.string(), damage)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  content = text.str();
  return static_cast<bool>(stream);
}

}  // namespace

struct ViewServer::Parts {
  ViewContent content;
  LimitedServer server;
  std::thread thread;
  int port = 0;

  void declare_routes() {
    ServerLimits limits;
    if (content.take_picture) limits.bytes += largest_picture;
    server.set_limits(limits);
    server.set_payload_max_length(limits.bytes);
    server.set_default_headers({{"Cache-Control", "no-store"},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Content-Security-Policy", content_policy}});
    server.set_pre_routing_handler([this](const httplib::Request& request, auto& response) {
      using Result = httplib::Server::HandlerResponse;
      if (is_our_name(request.get_header_value("Host"), port)) return Result::Unhandled;
      answer(response, 403, "This server answers to 127.0.0.1 and localhost only.");
      return Result::Handled;
    });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        answer(response, response.status,
               response.status == 404 ? "There is nothing here." : "This request makes no sense.");
    });
    server.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
          answer(response, 500, "The request could not be answered.");
        });
    server.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      send(response, content.page, "text/html; charset=utf-8");
    });
    server.Get("/data.json", [this](const httplib::Request&, httplib::Response& response) {
      std::string problem;
      std::string data = content.data(problem);
      if (!problem.empty()) return answer(response, 500, problem);
      send(response, std::move(data), "application/json");
    });
    server.Get(R"(/files/(\d{1,3})/([^/]*))",
               [this](const httplib::Request& request, httplib::Response& response) {
                 const std::size_t folder = std::stoul(request.matches[1]);
                 std::string text;
                 if (folder >= content.folders.size() ||
                     !read_result_file(content.folders[folder], request.matches[2], text))
                   return answer(response, 404, "There is nothing here.");
                 send(response, std::move(text), "text/plain; charset=utf-8");
               });
    if (content.take_picture) declare_recording();
  }

  void declare_recording() {
    server.Post("/record/picture", [this](const httplib::Request& request, auto& response) {
      const std::string of = request.get_param_value("of");
      content.take_picture(request.body, std::strtol(of.c_str(), nullptr, 10));
      answer(response, 200, "taken");
    });
    server.Post("/record/end", [this](const httplib::Request& request, auto& response) {
      content.end_of_pictures(request.body);
      answer(response, 200, "done");
    });
  }
};

ViewServer::ViewServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

std::unique_ptr<ViewServer> ViewServer::start(ViewContent content, int port, std::string& problem) {
  auto parts = std::make_unique<Parts>();
  parts->content = std::move(content);
  LimitedServer& server = parts->server;
  // Without SO_REUSEPORT, which would let two servers share a port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  parts->port = port == 0                             ? server.bind_to_any_port(loopback)
                : server.bind_to_port(loopback, port) ? port
                                                      : -1;
  if (parts->port < 0) {
    problem = port == 0 ? "no free port on 127.0.0.1"
                        : fmt::format(
                              "port {} on 127.0.0.1 is taken or not allowed; without "
                              "--port a free one is used",
                              port);
    return nullptr;
  }
  parts->declare_routes();
  server.lengthen_queue();
  parts->thread = std::thread([&server] { server.listen_after_bind(); });
  for (int k = 0; k < 5000 && !server.is_running(); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::unique_ptr<ViewServer>(new ViewServer(std::move(parts)));
}

ViewServer::~ViewServer() {
  parts_->server.stop();
  parts_->thread.join();
}

int ViewServer::port() const {
  return parts_->port;
}

std::string ViewServer::address() const {
  return fmt::format("http://{}:{}/", loopback, parts_->port);
}

}  // namespace cartan::cli
