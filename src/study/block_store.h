// Where finished blocks are kept: in memory, or as files that are whole or absent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "study/block.h"

namespace cartan::study {

// Runs 0 .. runs - 1 in blocks of `size`, the last one shorter. The size depends on the number of
// runs alone: about a thousand blocks, none above 65536 runs.
struct BlockPlan {
  std::uint64_t runs = 0;
  std::uint32_t size = 1;

  explicit BlockPlan(std::uint64_t all = 0);
  std::uint64_t count() const { return (runs + size - 1) / size; }
  std::uint64_t first(std::uint64_t block) const { return block * size; }
  std::uint32_t length(std::uint64_t block) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, runs - first(block)));
  }
};

class BlockStore {
 public:
  virtual ~BlockStore() = default;
  const BlockPlan& plan() const { return plan_; }
  virtual bool has(std::uint64_t block) const = 0;
  // From any thread. False with a sentence.
  virtual bool put(std::uint64_t block, const Block& content, std::string& problem) = 0;
  virtual std::optional<Block> get(std::uint64_t block) const = 0;

 protected:
  explicit BlockStore(BlockPlan plan) : plan_(plan) {}
  BlockPlan plan_;
};

std::unique_ptr<BlockStore> make_memory_store(BlockPlan plan);

// The folder of blocks of a study; `lock` keeps it to ourselves or shares it with other parts.
class FolderStore : public BlockStore {
 public:
  // `record`: what study this is (study_record.h). An empty or missing folder gets it. fresh: there
  // may be no earlier one; replace: it goes; resume: go on with what is there, if it is the same
  // study; part: the same, while others are at work. Null with a sentence otherwise.
  enum class Use { fresh, replace, resume, part };
  static std::unique_ptr<FolderStore> open(const std::string& folder, BlockPlan plan,
                                           const std::string& record, Use use,
                                           std::string& problem);
  ~FolderStore() override;

  bool has(std::uint64_t block) const override;
  bool put(std::uint64_t block, const Block& content, std::string& problem) override;
  std::optional<Block> get(std::uint64_t block) const override;
  // Other processes may now open it as parts.
  void share();
  // How many of the blocks there are; damaged ones are removed.
  std::uint64_t scan();

 private:
  FolderStore(std::string folder, BlockPlan plan) : BlockStore(plan), folder_(std::move(folder)) {}
  std::string path(std::uint64_t block) const;
  void remove_files(bool all) const;

  std::string folder_;
  std::string fingerprint_;  // of the record: at the head of every block
  int lock_ = -1;
  std::vector<char> there_;
};

inline constexpr const char* blocks_folder = "blocks";
inline constexpr const char* record_name = "study.json";

}  // namespace cartan::study
