// httplib's server with limits on what a stranger may take: time, threads, memory.
//
// The library's own hands every connection to one of a few threads, which waits for seconds until
// something comes; reads lines, headers and chunked bodies of any length into memory. Here every
// connection has a thread of its own and brings one request, within a time and a number of bytes.
#pragma once

#include <cstddef>

#include <httplib.h>

#include "core/folders.h"

namespace cartan::cli {

struct ServerLimits {
  std::size_t bytes = std::size_t{64} << 10;  // of one request, all of it
  double idle_seconds = 2;                    // without a first byte
  double seconds = 10;                        // to read a request; to write what is next
  int connections = 256;                      // at once; more wait for their turn
};

class LimitedServer final : public httplib::Server {
 public:
  explicit LimitedServer(const ServerLimits& limits = {});
  void set_limits(const ServerLimits& limits) { limits_ = limits; }
  // After binding: as many connections may wait to be accepted as are served at once. The library
  // lets five, and the kernel has others try again seconds later.
  void lengthen_queue();

 private:
  bool process_and_close_socket(socket_t socket) override;

  ServerLimits limits_;
};

}  // namespace cartan::cli
