#include "cli/view/server/limited_server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cartan::cli {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

// A thread for every connection: one that says nothing keeps nobody else waiting.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(int most) : most_(most) {}

  void enqueue(std::function<void()> work) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ < most_; });
    ++running_;
    std::thread([this, work = std::move(work)] {
      work();
      const std::lock_guard done(mutex_);
      --running_;
      changed_.notify_all();
    }).detach();
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  const int most_;
  int running_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class LimitedStream final : public httplib::Stream {
 public:
  LimitedStream(socket_t socket, const ServerLimits& limits, const std::atomic<socket_t>& server)
      : socket_(socket), limits_(limits), server_(server), left_(limits.bytes) {}

  // Until something has come, the server ends, or the time is over.
  bool wait_for_request() { return wait(POLLIN, Clock::now() + seconds(limits_.idle_seconds)); }

  bool is_readable() const override { return left_ > 0; }
  bool is_writable() const override { return true; }

  ssize_t read(char* to, std::size_t size) override {
    if (left_ == 0 || !wait(POLLIN, begin_ + seconds(limits_.seconds))) return -1;
    const ssize_t count = recv(socket_, to, std::min(size, left_), 0);
    if (count > 0) left_ -= static_cast<std::size_t>(count);
    return count;
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!wait(POLLOUT, Clock::now() + seconds(limits_.seconds))) return -1;
    return send(socket_, from, size, MSG_NOSIGNAL);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short what, Clock::time_point until) const {
    while (server_ != INVALID_SOCKET) {
      pollfd one = {socket_, what, 0};
      const int ready = poll(&one, 1, 50);
      if (ready > 0) return true;
      if ((ready < 0 && errno != EINTR) || Clock::now() >= until) return false;
    }
    return false;
  }

  const socket_t socket_;
  const ServerLimits& limits_;
  const std::atomic<socket_t>& server_;  // invalid when it ends
  std::size_t left_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

LimitedServer::LimitedServer(const ServerLimits& limits) : limits_(limits) {
  new_task_queue = [this] { return new ConnectionThreads(limits_.connections); };
}

void LimitedServer::lengthen_queue() {
  ::listen(svr_sock_, limits_.connections);
}

bool LimitedServer::process_and_close_socket(socket_t socket) {
  bool good = false;
  {
    LimitedStream waiting(socket, limits_, svr_sock_);
    if (waiting.wait_for_request()) {
      LimitedStream stream(socket, limits_, svr_sock_);  // its time begins now
      bool closed = false;
      good = process_request(stream, true, closed, nullptr);
    }
  }
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return good;
}

}  // namespace cartan::cli
