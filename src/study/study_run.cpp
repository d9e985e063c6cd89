#include "study/study_run.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "study/processes/block_source.h"

namespace cartan::study {
namespace {

constexpr std::chrono::milliseconds look_interval(100), message_interval(1);

class BlockCrew {
 public:
  BlockCrew(const Backend& backend, BlockStore& store, const StudyRunOptions& options)
      : backend_(backend), store_(store), options_(options) {
    std::vector<std::uint64_t> todo;
    for (std::uint64_t b = options.part - 1; b < store.plan().count(); b += options.parts) {
      if (store.has(b)) continue;
      todo.push_back(b);
      all_ += store.plan().length(b);
    }
    blocks_ = todo.size();
    if (!options.ranks) expect(todo);  // else nobody knows yet who gets which
    source_ = options.ranks ? make_rank_source(*options.ranks, std::move(todo), options.threads)
                            : make_list_source(std::move(todo));
  }

  StudyRunReport work() {
    const auto crew = static_cast<std::size_t>(std::max(1, options_.threads));
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 0; k < (options_.ranks ? crew : std::min(crew, blocks_)); ++k)
        threads.emplace_back([this] { take_blocks(); });
      watch(threads.size());
    }
    BlockSource::Work work{report_.computed, done_, interrupted_, report_.problem};
    source_->finish(work);
    report_.computed = work.blocks;
    report_.interrupted = work.interrupted;
    report_.problem = work.problem;
    for (std::uint64_t b = 0; b < store_.plan().count(); ++b) report_.missing += !store_.has(b);
    report_.missing -= std::min(report_.missing, report_.computed);
    return report_;
  }

 private:
  void expect(const std::vector<std::uint64_t>& todo) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> blocks;
    for (const std::uint64_t b : todo)
      blocks.emplace_back(store_.plan().first(b), store_.plan().length(b));
    backend_.expect(blocks);
  }

  void take_blocks() {
    const std::unique_ptr<BlockWorker> worker = backend_.make_worker();
    Block block;
    while (const std::optional<std::uint64_t> next = source_->next()) {
      const std::uint64_t b = *next;
      block.first = store_.plan().first(b);
      block.count = store_.plan().length(b);
      if (!worker->compute(block, stop_)) break;
      std::string problem;
      const bool stored = store_.put(b, block, problem);
      const std::lock_guard lock(mutex_);
      if (!stored) {
        if (report_.problem.empty()) report_.problem = problem;
        end();
        break;
      }
      ++report_.computed;
      done_ += block.count;
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  void end() {
    stop_ = true;
    source_->cancel();
  }

  void watch(std::size_t crew) {
    const auto interval = source_->restless() ? message_interval : look_interval;
    auto shown = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (bool working = source_->others_at_work(); working || finished_ < crew;) {
      changed_.wait_for(lock, interval);
      if (options_.stop && options_.stop->load() && !stop_) {
        interrupted_ = true;
        end();
      }
      const std::uint64_t done = done_;
      lock.unlock();
      source_->tend(done);
      working = source_->others_at_work();
      const auto now = std::chrono::steady_clock::now();
      if (options_.on_progress && now - shown >= look_interval / 2) {
        shown = now;
        options_.on_progress(done + source_->runs_elsewhere(), all_);
      }
      lock.lock();
    }
    if (options_.stop && options_.stop->load() && report_.computed < blocks_ && !options_.ranks)
      interrupted_ = true;
  }

  const Backend& backend_;
  BlockStore& store_;
  const StudyRunOptions& options_;
  std::unique_ptr<BlockSource> source_;
  std::size_t blocks_ = 0;  // that were to be computed
  std::uint64_t all_ = 0;   // runs in them
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

}  // namespace cartan::study
