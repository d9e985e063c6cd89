#include "core/cuda_driver.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/checksum.h"
#include "core/child_process.h"
#include "core/environment.h"
#include "core/library_cache.h"
#include "core/optional_library.h"

namespace cartan::core {
namespace fs = std::filesystem;
namespace {

// Of the driver's interface what is used here; results are numbers, 0 is success.
struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*retain_context)(void**, int);
  int (*set_context)(void*);
  int (*load_data)(void**, const void*);
  int (*unload)(void*);
  int (*get_function)(void**, void*, const char*);
  int (*allocate)(unsigned long long*, std::size_t);
  int (*release)(unsigned long long);
  int (*to_device)(unsigned long long, const void*, std::size_t);
  int (*to_host)(void*, unsigned long long, std::size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);
  int (*synchronize)();
  int (*error_text)(int, const char**);
  int (*prefer_cache)(void*, int);
  int (*set_attribute)(void*, int, int);
  bool ok = false;
};

const Driver& cuda_driver() {
  static const Driver driver = [] {
    Driver d;
    OptionalLibrary library({"libcuda.so.1"});
    library.find("cuInit", d.init);
    library.find("cuDeviceGet", d.device_get);
    library.find("cuDeviceGetName", d.device_name);
    library.find("cuDeviceGetAttribute", d.device_attribute);
    library.find("cuDevicePrimaryCtxRetain", d.retain_context);
    library.find("cuCtxSetCurrent", d.set_context);
    library.find("cuModuleLoadData", d.load_data);
    library.find("cuModuleUnload", d.unload);
    library.find("cuModuleGetFunction", d.get_function);
    library.find("cuMemAlloc_v2", d.allocate);
    library.find("cuMemFree_v2", d.release);
    library.find("cuMemcpyHtoD_v2", d.to_device);
    library.find("cuMemcpyDtoH_v2", d.to_host);
    library.find("cuLaunchKernel", d.launch);
    library.find("cuCtxSynchronize", d.synchronize);
    library.find("cuGetErrorString", d.error_text);
    library.find("cuFuncSetCacheConfig", d.prefer_cache);
    library.find("cuFuncSetAttribute", d.set_attribute);
    d.ok = library.is_whole();
    return d;
  }();
  return driver;
}

std::string cuda_problem(int result, const char* what) {
  if (result == 0) return "";
  const char* text = nullptr;
  cuda_driver().error_text(result, &text);
  return fmt::format("the GPU refused {}: {}", what, text ? text : "unknown error");
}

// ------------------------------------------------------------------------------------- compilation

struct RunTimeCompiler {
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*log_size)(void*, std::size_t*);
  int (*log)(void*, char*);
  int (*code_size)(void*, std::size_t*);
  int (*code)(void*, char*);
  int (*destroy)(void**);
  int (*version)(int*, int*);
  bool ok = false;
};

const RunTimeCompiler& run_time_compiler() {
  static const RunTimeCompiler compiler = [] {
    RunTimeCompiler c;
    OptionalLibrary library(
        {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"});
    library.find("nvrtcCreateProgram", c.create);
    library.find("nvrtcCompileProgram", c.compile);
    library.find("nvrtcGetProgramLogSize", c.log_size);
    library.find("nvrtcGetProgramLog", c.log);
    library.find("nvrtcGetCUBINSize", c.code_size);
    library.find("nvrtcGetCUBIN", c.code);
    library.find("nvrtcDestroyProgram", c.destroy);
    library.find("nvrtcVersion", c.version);
    c.ok = library.is_whole();
    return c;
  }();
  return compiler;
}

std::string first_lines(const std::string& text) {
  std::istringstream in(text);
  std::string result, line;
  for (int k = 0; k < 6 && std::getline(in, line); ++k) result += "\n  " + line;
  return result;
}

std::string compile_at_run_time(const std::string& source, const std::vector<std::string>& flags,
                                std::string& problem) {
  const RunTimeCompiler& c = run_time_compiler();
  void* program = nullptr;
  if (c.create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) {
    problem = "NVRTC takes no program";
    return "";
  }
  std::vector<const char*> words;
  for (const std::string& flag : flags) words.push_back(flag.c_str());
  words.push_back("-w");  // errors alone
  std::string code;
  std::size_t size = 0;
  if (c.compile(program, static_cast<int>(words.size()), words.data()) != 0) {
    std::string log;
    if (c.log_size(program, &size) == 0) {
      log.resize(size);
      c.log(program, log.data());
    }
    problem = "NVRTC failed" + first_lines(log);
  } else if (c.code_size(program, &size) == 0) {
    code.resize(size);
    c.code(program, code.data());
  }
  c.destroy(&program);
  return code;
}

// Where nvcc is, or "".
std::string find_nvcc() {
  std::vector<std::string> places = {"nvcc"};
  if (const char* home = environment("CUDA_HOME"))
    places.push_back(std::string(home) + "/bin/nvcc");
  places.push_back("/usr/local/cuda/bin/nvcc");
  for (const std::string& place : places)
    if (const ChildResult answer = run_child({place, "--version"});
        answer.started && answer.status == 0)
      return place;
  return "";
}

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string compile_by_nvcc(const std::string& nvcc, const std::string& source,
                            const std::vector<std::string>& flags, const fs::path& work,
                            std::string& problem) {
  std::ofstream(work / "kernel.cu", std::ios::binary) << source;
  std::vector<std::string> words = {nvcc, "-cubin", "-w"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(),
               {"-o", (work / "kernel.cubin").string(), (work / "kernel.cu").string()});
  const ChildResult result = run_child(words);
  if (result.started && result.status == 0) return contents_of(work / "kernel.cubin");
  problem = "nvcc failed" + first_lines(result.output());
  return "";
}

}  // namespace

std::string compile_cuda(const std::string& source, const std::string& architecture,
                         const std::vector<std::string>& more, std::string& problem) {
  std::vector<std::string> flags = {"-arch=" + architecture, "-fmad=false", "-std=c++17"};
  flags.insert(flags.end(), more.begin(), more.end());
  std::string key = source, nvcc;
  for (const std::string& flag : flags) key += '\0' + flag;
  if (run_time_compiler().ok) {
    int major = 0, minor = 0;
    run_time_compiler().version(&major, &minor);
    key += fmt::format("nvrtc {}.{}", major, minor);
  } else if (nvcc = find_nvcc(); nvcc.empty()) {
    problem =
        "there is no compiler for the GPU (libnvrtc or nvcc), and its code has to be compiled; "
        "install NVIDIA's CUDA toolkit";
    return "";
  } else {
    key += "nvcc" + nvcc;
  }
  const fs::path folder = open_library_cache({}, problem);
  if (folder.empty()) return "";
  const fs::path kept = folder / (checksum_of(key) + ".so");
  if (is_sealed(kept)) {
    touch_library(kept);
    return contents_of(kept);
  }
  std::string aside = (folder / (checksum_of(key) + "-XXXXXX")).string();
  if (!mkdtemp(aside.data())) {
    problem = fmt::format("compiled code cannot be kept in '{}'", folder.string());
    return "";
  }
  const std::string code = nvcc.empty() ? compile_at_run_time(source, flags, problem)
                                        : compile_by_nvcc(nvcc, source, flags, aside, problem);
  std::error_code error;
  if (!code.empty()) {
    const fs::path file = fs::path(aside) / "kernel.so";
    std::ofstream(file, std::ios::binary) << code;
    if (seal_library(file)) fs::rename(file, kept, error);
  }
  fs::remove_all(aside, error);
  prune_library_cache(folder, kept);
  return code;
}

// ------------------------------------------------------------------------------------------ device

const CudaDevice* CudaDevice::find(std::string& problem) {
  static std::string why;
  static const std::unique_ptr<const CudaDevice> device = []() -> std::unique_ptr<CudaDevice> {
    const Driver& d = cuda_driver();
    if (!d.ok) {
      why = "there is no GPU here: NVIDIA's driver (libcuda.so.1) is not installed";
      return nullptr;
    }
    int handle = 0, value = 0, minor = 0;
    if (d.init(0) != 0 || d.device_get(&handle, 0) != 0) {
      why = "there is no GPU here: NVIDIA's driver finds no device";
      return nullptr;
    }
    auto found = std::make_unique<CudaDevice>();
    char name[256] = "";
    d.device_name(name, sizeof name, handle);
    found->name_ = name;
    constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76,
                  most_block_memory = 97, cache_size = 38;
    d.device_attribute(&found->multiprocessors_, multiprocessor_count, handle);
    d.device_attribute(&found->block_memory_, most_block_memory, handle);
    d.device_attribute(&found->cache_, cache_size, handle);
    d.device_attribute(&value, capability_major, handle);
    d.device_attribute(&minor, capability_minor, handle);
    found->architecture_ = fmt::format("sm_{}{}", value, minor);
    why = cuda_problem(d.retain_context(&found->context_, handle), "to be used");
    if (!why.empty()) return nullptr;
    return found;
  }();
  problem = why;
  return device.get();
}

void CudaDevice::use() const {
  cuda_driver().set_context(context_);
}

CudaBuffer::~CudaBuffer() {
  if (address_) cuda_driver().release(address_);
}

std::string CudaBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return "";
  if (address_) cuda_driver().release(address_);
  address_ = 0;
  size_ = 0;
  const std::string problem = cuda_problem(cuda_driver().allocate(&address_, bytes), "memory");
  if (problem.empty()) size_ = bytes;
  return problem;
}

std::string CudaBuffer::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return "";
  if (const std::string problem = reserve(bytes); !problem.empty()) return problem;
  return cuda_problem(cuda_driver().to_device(address_, data, bytes), "data");
}

std::string CudaBuffer::read(void* data, std::size_t bytes) const {
  return bytes == 0 ? "" : cuda_problem(cuda_driver().to_host(data, address_, bytes), "results");
}

std::unique_ptr<CudaModule> CudaModule::load(const CudaDevice& device, const std::string& code,
                                             std::string& problem) {
  device.use();
  auto module = std::make_unique<CudaModule>();
  problem = cuda_problem(cuda_driver().load_data(&module->module_, code.data()), "the kernel");
  return problem.empty() ? std::move(module) : nullptr;
}

CudaModule::~CudaModule() {
  if (module_) cuda_driver().unload(module_);
}

std::string CudaModule::run(const std::string& kernel, unsigned blocks, unsigned threads,
                            std::size_t block_memory, void** arguments) const {
  const Driver& d = cuda_driver();
  void* function = nullptr;
  if (const std::string problem =
          cuda_problem(d.get_function(&function, module_, kernel.c_str()), "the kernel");
      !problem.empty())
    return problem;
  if (block_memory == 0) {
    constexpr int prefer_first_level_cache = 2;
    d.prefer_cache(function, prefer_first_level_cache);
  } else {
    constexpr int most_block_memory = 8;
    const int set = d.set_attribute(function, most_block_memory, static_cast<int>(block_memory));
    if (set != 0) return cuda_problem(set, "memory of its multiprocessors");
  }
  const int launched = d.launch(function, blocks, 1, 1, threads, 1, 1,
                                static_cast<unsigned>(block_memory), nullptr, arguments, nullptr);
  if (launched != 0) return cuda_problem(launched, "to start");
  return cuda_problem(d.synchronize(), "to go on");
}

}  // namespace cartan::core
