#include "study/processes/block_source.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>

namespace cartan::study {
namespace {

class ListSource final : public BlockSource {
 public:
  explicit ListSource(std::vector<std::uint64_t> blocks) : blocks_(std::move(blocks)) {}
  std::optional<std::uint64_t> next() override {
    const std::size_t k = next_.fetch_add(1);
    if (cancelled_ || k >= blocks_.size()) return std::nullopt;
    return blocks_[k];
  }
  void cancel() override { cancelled_ = true; }

 private:
  const std::vector<std::uint64_t> blocks_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> cancelled_ = false;
};

// Messages: a letter, numbers, a text. To the first: `r` (want blocks, runs done), `d` (done:
// blocks, runs, interrupted; problem). From the first: `b` (blocks; none: there are no more).
std::string encode_numbers(char letter, const std::vector<std::uint64_t>& numbers,
                           const std::string& text = {}) {
  std::string bytes(1, letter);
  const std::uint64_t count = numbers.size();
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(numbers.data()), count * sizeof(std::uint64_t));
  return bytes + text;
}
std::vector<std::uint64_t> decode_numbers(const std::string& bytes, std::string& text) {
  std::uint64_t count = 0;
  if (bytes.size() < 1 + sizeof count) return {};
  std::memcpy(&count, bytes.data() + 1, sizeof count);
  count = std::min<std::uint64_t>(count, (bytes.size() - 1 - sizeof count) / sizeof count);
  std::vector<std::uint64_t> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), bytes.data() + 1 + sizeof count, count * sizeof count);
  text = bytes.substr(1 + sizeof count + count * sizeof count);
  return numbers;
}

// The first process: hands out blocks, and computes itself.
class FirstSource final : public BlockSource {
 public:
  FirstSource(Ranks& ranks, std::vector<std::uint64_t> blocks)
      : ranks_(ranks),
        blocks_(std::move(blocks)),
        done_(static_cast<std::size_t>(ranks.size()), 0),
        runs_(static_cast<std::size_t>(ranks.size()), 0) {
    done_[0] = 1;
  }

  std::optional<std::uint64_t> next() override {
    const std::vector<std::uint64_t> one = take(1);
    return one.empty() ? std::nullopt : std::optional(one[0]);
  }
  void cancel() override {
    const std::lock_guard lock(mutex_);
    next_ = blocks_.size();
  }
  bool restless() const override { return true; }

  void tend(std::uint64_t) override {
    while (std::optional<Ranks::Message> message = ranks_.poll()) {
      std::string text;
      const std::vector<std::uint64_t> numbers = decode_numbers(message->bytes, text);
      const auto from = static_cast<std::size_t>(message->from);
      if (numbers.size() == 2 && message->bytes[0] == 'r') {
        runs_[from] = numbers[1];
        // few enough at a time that all end together
        const std::uint64_t share = left() / (2 * static_cast<std::uint64_t>(ranks_.size()));
        ranks_.send(message->from,
                    encode_numbers('b', take(std::clamp<std::uint64_t>(share, 1, numbers[0]))));
      } else if (numbers.size() == 3 && message->bytes[0] == 'd') {
        done_[from] = 1;
        runs_[from] = numbers[1];
        others_.blocks += numbers[0];
        others_.runs += numbers[1];
        others_.interrupted |= numbers[2] != 0;
        if (others_.problem.empty()) others_.problem = text;
        if (numbers[2] != 0 || !text.empty()) cancel();
      }
    }
  }
  bool others_at_work() override {
    return std::any_of(done_.begin(), done_.end(), [](char done) { return !done; });
  }
  void finish(Work& all) override {
    all.blocks += others_.blocks;
    all.runs += others_.runs;
    all.interrupted |= others_.interrupted;
    if (all.problem.empty()) all.problem = others_.problem;
  }
  std::uint64_t runs_elsewhere() const override {
    std::uint64_t sum = 0;
    for (const std::uint64_t runs : runs_) sum += runs;
    return sum;
  }

 private:
  std::uint64_t left() {
    const std::lock_guard lock(mutex_);
    return blocks_.size() - next_;
  }
  std::vector<std::uint64_t> take(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    const std::size_t end = std::min<std::size_t>(blocks_.size(), next_ + count);
    std::vector<std::uint64_t> taken(blocks_.begin() + static_cast<long>(next_),
                                     blocks_.begin() + static_cast<long>(end));
    next_ = end;
    return taken;
  }

  Ranks& ranks_;
  std::mutex mutex_;  // of blocks_ and next_
  const std::vector<std::uint64_t> blocks_;
  std::size_t next_ = 0;
  std::vector<char> done_;
  std::vector<std::uint64_t> runs_;
  Work others_;
};

// Any other process: asks the first when few blocks are left in its queue.
class OtherSource final : public BlockSource {
 public:
  OtherSource(Ranks& ranks, int threads) : ranks_(ranks), threads_(threads) {}

  std::optional<std::uint64_t> next() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue_.empty() || exhausted_; });
    if (queue_.empty()) return std::nullopt;
    const std::uint64_t block = queue_.front();
    queue_.pop_front();
    return block;
  }
  void cancel() override {
    const std::lock_guard lock(mutex_);
    queue_.clear();
    exhausted_ = true;
    changed_.notify_all();
  }
  bool restless() const override { return true; }

  void tend(std::uint64_t runs) override {
    while (std::optional<Ranks::Message> message = ranks_.poll()) {
      std::string text;
      const std::vector<std::uint64_t> blocks = decode_numbers(message->bytes, text);
      const std::lock_guard lock(mutex_);
      asked_ = false;
      if (!exhausted_) queue_.insert(queue_.end(), blocks.begin(), blocks.end());
      exhausted_ |= blocks.empty();
      changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    if (asked_ || exhausted_ || queue_.size() >= static_cast<std::size_t>(threads_)) return;
    asked_ = true;
    ranks_.send(0, encode_numbers('r', {2 * static_cast<std::uint64_t>(threads_), runs}));
  }
  bool others_at_work() override { return asked_; }  // an answer is on its way
  void finish(Work& work) override {
    ranks_.send(
        0, encode_numbers('d', {work.blocks, work.runs, work.interrupted ? 1u : 0u}, work.problem));
  }

 private:
  Ranks& ranks_;
  const int threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> queue_;
  bool asked_ = false, exhausted_ = false;
};

}  // namespace

HelperFarewell::~HelperFarewell() {
  if (ranks_ && !ranks_->is_first())
    ranks_->send(0, encode_numbers('d', {0, 0, 0},
                                   "process " + std::to_string(ranks_->rank()) +
                                       " cannot take part: the study or its folder cannot be read "
                                       "where it runs"));
}

std::unique_ptr<BlockSource> make_list_source(std::vector<std::uint64_t> blocks) {
  return std::make_unique<ListSource>(std::move(blocks));
}

std::unique_ptr<BlockSource> make_rank_source(Ranks& ranks, std::vector<std::uint64_t> blocks,
                                              int threads) {
  if (ranks.is_first()) return std::make_unique<FirstSource>(ranks, std::move(blocks));
  return std::make_unique<OtherSource>(ranks, threads);
}

}  // namespace cartan::study
