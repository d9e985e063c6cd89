#include "core/forked_work.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cartan::core {
namespace {

// The number of the next piece, seen by all processes.
class SharedCounter {
 public:
  SharedCounter() {
    void* memory = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) next_ = new (memory) std::atomic<int>(0);
  }
  ~SharedCounter() {
    if (next_) munmap(next_, sizeof(std::atomic<int>));
  }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  bool usable() const { return next_ != nullptr; }
  int take() { return next_->fetch_add(1); }

 private:
  std::atomic<int>* next_ = nullptr;
};

// What stands before each message: piece, kind (begun, done, failed), bytes.
struct PieceHeader {
  std::int32_t piece = 0, kind = 0;
  std::uint64_t size = 0;
};
enum PieceKind { piece_begun, piece_done, piece_failed };

bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool send_piece(int file, int piece, PieceKind kind, const std::string& bytes) {
  const PieceHeader header{piece, kind, bytes.size()};
  return write_all(file, reinterpret_cast<const char*>(&header), sizeof header) &&
         write_all(file, bytes.data(), bytes.size());
}

[[noreturn]] void work_as_child(int file, int count, SharedCounter& counter,
                                const std::function<std::string(int)>& work) {
  for (int i; (i = counter.take()) < count;) {
    if (!send_piece(file, i, piece_begun, "")) break;
    std::string bytes;
    PieceKind kind = piece_done;
    try {
      bytes = work(i);
    } catch (const std::exception& thrown) {
      kind = piece_failed;
      bytes = thrown.what();
    }
    if (!send_piece(file, i, kind, bytes)) break;
  }
  _exit(0);
}

struct ForkedChild {
  pid_t process = -1;
  int file = -1;
  int piece = -1;  // begun and not done
  std::string unread;
};

// Whole messages of a child; `done` counts pieces that have ended.
void take_messages(ForkedChild& child, std::vector<ForkedPiece>& pieces, int& done) {
  std::size_t at = 0;
  for (;;) {
    PieceHeader header;
    if (child.unread.size() - at < sizeof header) break;
    std::memcpy(&header, child.unread.data() + at, sizeof header);
    if (child.unread.size() - at - sizeof header < header.size) break;
    const std::string bytes = child.unread.substr(at + sizeof header, header.size);
    at += sizeof header + header.size;
    if (header.kind == piece_begun) {
      child.piece = header.piece;
      continue;
    }
    child.piece = -1;
    ForkedPiece& piece = pieces[header.piece];
    piece.done = header.kind == piece_done;
    (piece.done ? piece.bytes : piece.problem) = bytes;
    ++done;
  }
  child.unread.erase(0, at);
}

void end_child(ForkedChild& child, std::vector<ForkedPiece>& pieces, int& done) {
  close(child.file);
  child.file = -1;
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (child.piece < 0) return;
  pieces[child.piece].problem =
      WIFSIGNALED(status) ? fmt::format("its process was ended by signal {}", WTERMSIG(status))
                          : "its process ended early";
  ++done;
}

// False: there is no further process.
bool start_forked(int count, SharedCounter& counter, const std::function<std::string(int)>& work,
                  std::vector<ForkedChild>& children) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    for (const ForkedChild& other : children) close(other.file);
    work_as_child(ends[1], count, counter, work);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return false;
  }
  children.push_back({process, ends[0], -1, ""});
  return true;
}

}  // namespace

std::vector<ForkedPiece> work_in_processes(int count, int processes,
                                           const std::function<std::string(int)>& work,
                                           const std::function<void(int)>& on_piece) {
  std::vector<ForkedPiece> pieces(count);
  SharedCounter counter;
  std::vector<ForkedChild> children;
  std::fflush(nullptr);  // children must not print it once more
  if (counter.usable())
    for (int k = 0; k < std::min(count, processes); ++k)
      if (!start_forked(count, counter, work, children)) break;
  int done = 0;
  for (int left = static_cast<int>(children.size()); left > 0;) {
    std::vector<pollfd> files;
    for (const ForkedChild& child : children)
      files.push_back({child.file, POLLIN, 0});  // ended ones: -1, which poll passes over
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t k = 0; k < children.size(); ++k) {
      if (children[k].file < 0 || files[k].revents == 0) continue;
      char bytes[65536];
      const ssize_t size = read(children[k].file, bytes, sizeof bytes);
      if (size < 0 && errno == EINTR) continue;
      if (size > 0) {
        children[k].unread.append(bytes, static_cast<std::size_t>(size));
        take_messages(children[k], pieces, done);
      } else {
        end_child(children[k], pieces, done);
        --left;
      }
      on_piece(done);
    }
  }
  // where no process could be had, or all have died early
  for (int i = 0; i < count; ++i) {
    ForkedPiece& piece = pieces[i];
    if (piece.done || !piece.problem.empty()) continue;
    piece.bytes = work(i);
    piece.done = true;
    on_piece(++done);
  }
  return pieces;
}

}  // namespace cartan::core
