#include "study/block_store.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/checksum.h"
#include "study/study_record.h"

namespace cartan::study {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t wanted_blocks = 1024;
constexpr std::uint32_t largest_block = 65536;

class MemoryStore final : public BlockStore {
 public:
  explicit MemoryStore(BlockPlan plan) : BlockStore(plan), blocks_(plan.count()) {}
  bool has(std::uint64_t block) const override { return blocks_[block].has_value(); }
  bool put(std::uint64_t block, const Block& content, std::string&) override {
    blocks_[block] = content;
    return true;
  }
  std::optional<Block> get(std::uint64_t block) const override { return blocks_[block]; }

 private:
  std::vector<std::optional<Block>> blocks_;  // each written by one thread
};

std::optional<std::string> read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// Written aside, then renamed. errno, or 0.
int write_bytes(const std::string& path, const std::string& bytes) {
  const std::string aside = fmt::format("{}.{}.new", path, getpid());
  std::FILE* file = std::fopen(aside.c_str(), "wb");
  if (!file) return errno;
  int error = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() ? 0 : errno;
  if (std::fclose(file) != 0 && !error) error = errno;
  if (!error && std::rename(aside.c_str(), path.c_str()) != 0) error = errno;
  if (error) std::remove(aside.c_str());
  return error;
}

}  // namespace

BlockPlan::BlockPlan(std::uint64_t all)
    : runs(all),
      size(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
          (all + wanted_blocks - 1) / wanted_blocks, 1, largest_block))) {}

std::unique_ptr<BlockStore> make_memory_store(BlockPlan plan) {
  return std::make_unique<MemoryStore>(plan);
}

std::unique_ptr<FolderStore> FolderStore::open(const std::string& folder, BlockPlan plan,
                                               const std::string& record, Use use,
                                               std::string& problem) {
  const fs::path blocks = fs::path(folder) / blocks_folder;
  const auto refuse = [&](const std::string& why) {
    problem = fmt::format("cannot write to the folder '{}': {}", folder, why);
    return nullptr;
  };
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) return refuse("it is a file");
  fs::create_directories(blocks, error);
  if (error) return refuse(error.message());
  if (access(blocks.c_str(), W_OK | X_OK) != 0) return refuse(std::strerror(errno));
  std::unique_ptr<FolderStore> store(new FolderStore(blocks.string(), plan));
  store->fingerprint_ = checksum_of(record);
  store->lock_ = ::open((blocks / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (store->lock_ < 0) return refuse(std::strerror(errno));
  const int how = (use == Use::part ? LOCK_SH : LOCK_EX) | LOCK_NB;
  if (flock(store->lock_, how) != 0 && errno == EWOULDBLOCK)
    return refuse("another study is at work there");
  if (use != Use::part) store->remove_files(use == Use::replace);
  const std::string path = (blocks / record_name).string();
  const std::optional<std::string> before = read_bytes(path);
  if (!before) {
    if (const int failed = write_bytes(path, record)) return refuse(std::strerror(failed));
    return store;
  }
  const std::string difference = compare_records(*before, record);
  if (use == Use::fresh)
    problem = fmt::format(
        "'{}' holds {} study already; {}choose another folder, or let it be replaced", folder,
        difference.empty() ? "this" : "another", difference.empty() ? "go on with it, " : "");
  else if (!difference.empty())
    problem = fmt::format(
        "the study in '{}' is not this one: {}; undo the change, or choose another "
        "folder",
        folder, difference);
  if (!problem.empty()) return nullptr;
  return store;
}

// What killed processes left half written, or everything.
void FolderStore::remove_files(bool all) const {
  std::error_code end, ignored;
  for (fs::directory_iterator at(folder_, end); !end && at != fs::directory_iterator();
       at.increment(end)) {
    const std::string name = at->path().filename().string();
    const bool block = name.find_first_not_of("0123456789") == std::string::npos;
    if (name.ends_with(".new") || (all && (block || name == record_name)))
      fs::remove(at->path(), ignored);
  }
}

FolderStore::~FolderStore() {
  if (lock_ >= 0) close(lock_);
}

void FolderStore::share() {
  flock(lock_, LOCK_SH);
}

std::string FolderStore::path(std::uint64_t block) const {
  return fmt::format("{}/{:07}", folder_, block);
}

std::uint64_t FolderStore::scan() {
  there_.assign(plan_.count(), 0);
  std::uint64_t count = 0;
  std::error_code ignored;
  for (std::uint64_t b = 0; b < plan_.count(); ++b) {
    if (!fs::exists(path(b), ignored)) continue;
    const std::optional<Block> block = get(b);
    there_[b] = block.has_value();
    count += block.has_value();
    if (!block) fs::remove(path(b), ignored);
  }
  return count;
}

bool FolderStore::has(std::uint64_t block) const {
  return block < there_.size() && there_[block];
}

bool FolderStore::put(std::uint64_t block, const Block& content, std::string& problem) {
  const int error = write_bytes(path(block), fingerprint_ + encode_block(content));
  if (error) problem = fmt::format("cannot write '{}': {}", path(block), std::strerror(error));
  return error == 0;
}

std::optional<Block> FolderStore::get(std::uint64_t block) const {
  const std::optional<std::string> bytes = read_bytes(path(block));
  if (!bytes || !bytes->starts_with(fingerprint_)) return std::nullopt;
  std::optional<Block> content = decode_block(std::string_view(*bytes).substr(fingerprint_.size()));
  if (content && (content->first != plan_.first(block) || content->count != plan_.length(block)))
    return std::nullopt;
  return content;
}

}  // namespace cartan::study
