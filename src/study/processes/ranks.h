// The processes of one study under mpirun: who is who, and messages between them.
//
// Nothing is linked. The library of OpenMPI is loaded when this process was started by mpirun (or
// by srun with PMIx); everybody else never sees it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/folders.h"

namespace cartan::study {

class Ranks {
 public:
  // Null where this process is alone. Null with a sentence where it is not, and there is no library
  // to talk to the others with.
  static std::unique_ptr<Ranks> join(std::string& problem);
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int local_size() const = 0;  // on this machine
  bool is_first() const { return rank() == 0; }

  struct Message {
    int from = 0;
    std::string bytes;
  };
  // From the thread that joined, all of these.
  virtual void send(int to, const std::string& bytes) = 0;
  virtual std::optional<Message> poll() = 0;  // one that has come
  virtual void tell_all(bool& flag) = 0;      // what the first says; waits until all are here
};

// Lets the other processes wait until the first has found a study good; leaving its scope without
// `good` tells them that it has not. `others` may be null: nothing happens.
class FirstVerdict {
 public:
  explicit FirstVerdict(Ranks* ranks) : ranks_(ranks) {}
  ~FirstVerdict() { tell(false); }
  FirstVerdict(const FirstVerdict&) = delete;
  FirstVerdict& operator=(const FirstVerdict&) = delete;
  void good() { tell(true); }
  // Of all but the first: what it said.
  bool await() {
    bool flag = false;
    if (ranks_) ranks_->tell_all(flag);
    ranks_ = nullptr;
    return flag;
  }

 private:
  void tell(bool flag) {
    if (ranks_ && ranks_->is_first()) ranks_->tell_all(flag);
    ranks_ = nullptr;
  }
  Ranks* ranks_;
};

}  // namespace cartan::study
