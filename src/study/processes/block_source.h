// Who says which block comes next: a list, or the first of several processes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/processes/ranks.h"

namespace cartan::study {

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // From any thread; waits where others have to be asked. Nothing: there are no more.
  virtual std::optional<std::uint64_t> next() = 0;
  // From any thread: nobody waits any longer, and there are no more.
  virtual void cancel() = 0;
  // From the thread that watches, often where `restless`: messages are answered and sent. `runs`:
  // that this process has done.
  virtual void tend(std::uint64_t runs) { (void)runs; }
  virtual bool restless() const { return false; }
  virtual bool others_at_work() { return false; }  // there is still to tend
  // Runs that the others have told of.
  virtual std::uint64_t runs_elsewhere() const { return 0; }
  // What this process did, at its end; in the first one, where the others have ended before, it
  // becomes what all of them did.
  struct Work {
    std::uint64_t blocks = 0, runs = 0;
    bool interrupted = false;
    std::string problem;
  };
  virtual void finish(Work& work) { (void)work; }
};

std::unique_ptr<BlockSource> make_list_source(std::vector<std::uint64_t> blocks);

// `blocks`: in the first process all that are to be computed, elsewhere nothing. `threads`: of this
// process.
std::unique_ptr<BlockSource> make_rank_source(Ranks& ranks, std::vector<std::uint64_t> blocks,
                                              int threads);

// Tells the first process, where this one leaves before it has computed anything, not to wait for
// it.
class HelperFarewell {
 public:
  explicit HelperFarewell(Ranks* ranks) : ranks_(ranks) {}
  ~HelperFarewell();
  HelperFarewell(const HelperFarewell&) = delete;
  HelperFarewell& operator=(const HelperFarewell&) = delete;
  void not_needed() { ranks_ = nullptr; }

 private:
  Ranks* ranks_;
};

}  // namespace cartan::study
