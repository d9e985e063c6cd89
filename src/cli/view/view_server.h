// A small web server for the viewer: loopback only, and nothing but what is named here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::cli {

struct ViewContent {
  std::string page;
  // The data document, or a sentence in `problem`; asked anew for every load of the page.
  std::function<std::string(std::string& problem)> data;
  std::vector<std::string> folders;  // their result files are under /files/0/, /files/1/, ..
  // Pictures of a recording, in order, and how many there will be; null: none are taken.
  std::function<void(const std::string& picture, long of)> take_picture;
  std::function<void(const std::string& message)> end_of_pictures;  // message: "" or what failed
};

class ViewServer {
 public:
  // `port` 0: any that is free. Null, with a sentence in `problem`, when it cannot be had.
  static std::unique_ptr<ViewServer> start(ViewContent content, int port, std::string& problem);
  ~ViewServer();  // ends it
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  int port() const;
  std::string address() const;

 private:
  struct Parts;
  explicit ViewServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cartan::cli
