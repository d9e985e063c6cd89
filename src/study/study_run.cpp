#include "study/study_run.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cartan {
namespace {

constexpr std::chrono::milliseconds look_interval(100);

class BlockCrew {
 public:
  BlockCrew(const Backend& backend, BlockStore& store, const StudyRunOptions& options)
      : backend_(backend), store_(store), options_(options) {
    for (std::uint64_t b = options.part - 1; b < store.plan().count(); b += options.parts) {
      if (store.has(b)) continue;
      todo_.push_back(b);
      all_ += store.plan().length(b);
    }
  }

  StudyRunReport work() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> blocks;
    for (const std::uint64_t b : todo_)
      blocks.emplace_back(store_.plan().first(b), store_.plan().length(b));
    backend_.expect(blocks);
    const auto crew = static_cast<std::size_t>(std::max(1, options_.threads));
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 0; k < std::min(crew, todo_.size()); ++k)
        threads.emplace_back([this] { take_blocks(); });
      watch(threads.size());
    }
    report_.interrupted = interrupted_;
    for (std::uint64_t b = 0; b < store_.plan().count(); ++b) report_.missing += !store_.has(b);
    report_.missing -= std::min(report_.missing, report_.computed);
    return report_;
  }

 private:
  void take_blocks() {
    const std::unique_ptr<BlockWorker> worker = backend_.make_worker();
    Block block;
    for (std::size_t k; !stop_ && (k = next_.fetch_add(1)) < todo_.size();) {
      const std::uint64_t b = todo_[k];
      block.first = store_.plan().first(b);
      block.count = store_.plan().length(b);
      if (!worker->compute(block, stop_)) break;
      std::string problem;
      const bool stored = store_.put(b, block, problem);
      const std::lock_guard lock(mutex_);
      if (!stored) {
        if (report_.problem.empty()) report_.problem = problem;
        stop_ = true;
        break;
      }
      ++report_.computed;
      done_ += block.count;
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  void watch(std::size_t crew) {
    std::unique_lock lock(mutex_);
    while (finished_ < crew) {
      changed_.wait_for(lock, look_interval);
      if (options_.stop && options_.stop->load()) interrupted_ = stop_ = true;
      const std::uint64_t done = done_;
      lock.unlock();
      if (options_.on_progress) options_.on_progress(done, all_);
      lock.lock();
    }
    if (options_.stop && options_.stop->load() && report_.computed < todo_.size())
      interrupted_ = true;
  }

  const Backend& backend_;
  BlockStore& store_;
  const StudyRunOptions& options_;
  std::vector<std::uint64_t> todo_;
  std::uint64_t all_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  bool interrupted_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t finished_ = 0;
  std::uint64_t done_ = 0;  // runs
  StudyRunReport report_;
};

}  // namespace

StudyRunReport compute_study(const Backend& backend, BlockStore& store,
                             const StudyRunOptions& options) {
  return BlockCrew(backend, store, options).work();
}

}  // namespace cartan
