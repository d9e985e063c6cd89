// NVIDIA's driver and its run-time compiler, loaded when first asked for: the program needs neither
// to be built nor to start.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

class CudaModule;

// Memory of the device, as numbers.
class CudaBuffer {
 public:
  CudaBuffer() = default;
  ~CudaBuffer();
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  // At least so many bytes; what was there is lost when it grows. "" or a sentence.
  std::string reserve(std::size_t bytes);
  std::string write(const void* data, std::size_t bytes);
  std::string read(void* data, std::size_t bytes) const;
  unsigned long long address() const { return address_; }

 private:
  unsigned long long address_ = 0;
  std::size_t size_ = 0;
};

class CudaDevice {
 public:
  // The first device; null, with a sentence, where there is none.
  static const CudaDevice* find(std::string& problem);

  const std::string& name() const { return name_; }
  int multiprocessors() const { return multiprocessors_; }
  // Memory of a multiprocessor that one block of threads can have.
  long block_memory() const { return block_memory_; }
  // Second-level cache.
  long cache() const { return cache_; }
  const std::string& architecture() const { return architecture_; }  // sm_90
  // To be called in every thread before the device is used.
  void use() const;

 private:
  friend class CudaModule;
  std::string name_, architecture_;
  int multiprocessors_ = 0, block_memory_ = 0, cache_ = 0;
  void* context_ = nullptr;
};

// Machine code for a device of CUDA C++, by NVRTC or nvcc, kept in the cache of compiled code
// (core/compiled_library.h). Empty, with a sentence, where it cannot be made.
std::string compile_cuda(const std::string& source, const std::string& architecture,
                         const std::vector<std::string>& flags, std::string& problem);

// Loaded machine code.
class CudaModule {
 public:
  static std::unique_ptr<CudaModule> load(const CudaDevice& device, const std::string& code,
                                          std::string& problem);
  ~CudaModule();
  // Runs a kernel in so many blocks of threads, each with so much memory of its multiprocessor,
  // and waits for its end. "" or a sentence.
  std::string run(const std::string& kernel, unsigned blocks, unsigned threads,
                  std::size_t block_memory, void** arguments) const;

 private:
  void* module_ = nullptr;
};

}  // namespace cartan::core
