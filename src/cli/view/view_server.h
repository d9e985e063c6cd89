// A small web server for the viewer: loopback only, and nothing but what is named here. It stands
// in a shared library of its own, loaded when a page is first served (core/part_library.h).
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
  // The file of that name under /files/FOLDER/; false: there is none.
  std::function<bool(std::size_t folder, const std::string& name, std::string& content)> file;
  // Pictures of a recording, in order, and how many there will be; null: none are taken.
  std::function<void(const std::string& picture, long of)> take_picture;
  std::function<void(const std::string& message)> end_of_pictures;  // message: "" or what failed
};

class ViewServer {
 public:
  // `port` 0: any that is free. Null, with a sentence in `problem`, when it cannot be had.
  static std::unique_ptr<ViewServer> start(ViewContent content, int port, std::string& problem);
  virtual ~ViewServer() = default;  // ends it

  virtual int port() const = 0;
  std::string address() const;
};

// What the library exports: a server to be deleted, or null with a sentence.
extern "C" [[gnu::visibility("default")]] ViewServer* cartan_start_view_server(
    ViewContent* content, int port, std::string* problem);

}  // namespace cartan::cli
