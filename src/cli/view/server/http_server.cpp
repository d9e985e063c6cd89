// The server of view_server.h, in the shared library cartan_server: of the program it needs
// nothing.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/core.h>

#include "cli/view/server/limited_server.h"
#include "cli/view/view_server.h"

namespace cartan::cli {
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

class HttpServer final : public ViewServer {
 public:
  explicit HttpServer(ViewContent content) : content_(std::move(content)) {}
  ~HttpServer() override {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }
  bool begin(int port, std::string& problem);
  int port() const override { return port_; }

 private:
  void declare_routes();
  void declare_recording();

  ViewContent content_;
  LimitedServer server_;
  std::thread thread_;
  int port_ = 0;
};

void HttpServer::declare_routes() {
  ServerLimits limits;
  if (content_.take_picture) limits.bytes += largest_picture;
  server_.set_limits(limits);
  server_.set_payload_max_length(limits.bytes);
  server_.set_default_headers({{"Cache-Control", "no-store"},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Content-Security-Policy", content_policy}});
  server_.set_pre_routing_handler([this](const httplib::Request& request, auto& response) {
    using Result = httplib::Server::HandlerResponse;
    if (is_our_name(request.get_header_value("Host"), port_)) return Result::Unhandled;
    answer(response, 403, "This server answers to 127.0.0.1 and localhost only.");
    return Result::Handled;
  });
  server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty())
      answer(response, response.status,
             response.status == 404 ? "There is nothing here." : "This request makes no sense.");
  });
  server_.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        answer(response, 500, "The request could not be answered.");
      });
  server_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
    send(response, content_.page, "text/html; charset=utf-8");
  });
  server_.Get("/data.json", [this](const httplib::Request&, httplib::Response& response) {
    std::string problem;
    std::string data = content_.data(problem);
    if (!problem.empty()) return answer(response, 500, problem);
    send(response, std::move(data), "application/json");
  });
  server_.Get(R"(/files/(\d{1,3})/([^/]*))",
              [this](const httplib::Request& request, httplib::Response& response) {
                std::string text;
                if (!content_.file(std::stoul(request.matches[1]), request.matches[2], text))
                  return answer(response, 404, "There is nothing here.");
                send(response, std::move(text), "text/plain; charset=utf-8");
              });
  if (content_.take_picture) declare_recording();
}

void HttpServer::declare_recording() {
  server_.Post("/record/picture", [this](const httplib::Request& request, auto& response) {
    const std::string of = request.get_param_value("of");
    content_.take_picture(request.body, std::strtol(of.c_str(), nullptr, 10));
    answer(response, 200, "taken");
  });
  server_.Post("/record/end", [this](const httplib::Request& request, auto& response) {
    content_.end_of_pictures(request.body);
    answer(response, 200, "done");
  });
}

bool HttpServer::begin(int port, std::string& problem) {
  // Without SO_REUSEPORT, which would let two servers share a port.
  server_.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  port_ = port == 0                              ? server_.bind_to_any_port(loopback)
          : server_.bind_to_port(loopback, port) ? port
                                                 : -1;
  if (port_ < 0) {
    problem = port == 0 ? "no free port on 127.0.0.1"
                        : fmt::format(
                              "port {} on 127.0.0.1 is taken or not allowed; without "
                              "--port a free one is used",
                              port);
    return false;
  }
  declare_routes();
  server_.lengthen_queue();
  thread_ = std::thread([this] { server_.listen_after_bind(); });
  for (int k = 0; k < 5000 && !server_.is_running(); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}

}  // namespace

ViewServer* cartan_start_view_server(ViewContent* content, int port, std::string* problem) {
  auto server = std::make_unique<HttpServer>(std::move(*content));
  return server->begin(port, *problem) ? server.release() : nullptr;
}

}  // namespace cartan::cli
