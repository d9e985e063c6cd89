#include "study/processes/ranks.h"

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "core/environment.h"
#include "core/optional_library.h"

namespace cartan::study {
namespace {

// What is used of OpenMPI's library, whose binary interface has been the same since version 1.7.
struct MpiLibrary {
  int (*init_thread)(int*, char***, int, int*) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(void*, int*) = nullptr;
  int (*comm_size)(void*, int*) = nullptr;
  int (*send)(const void*, int, void*, int, int, void*) = nullptr;
  int (*recv)(void*, int, void*, int, int, void*, void*) = nullptr;
  int (*iprobe)(int, int, void*, int*, void*) = nullptr;
  int (*get_count)(const void*, void*, int*) = nullptr;
  int (*bcast)(void*, int, void*, int, void*) = nullptr;
  void *world = nullptr, *byte = nullptr;
};
constexpr int any_source = -1, any_tag = -1, study_tag = 17, funneled = 1;
struct MpiStatus {
  int source = 0, tag = 0, error = 0;
  char rest[52] = {};
};

std::string load_mpi(MpiLibrary& mpi) {
  // Its plug-ins look for its names among those of the program.
  OptionalLibrary library({"libmpi.so.40", "libmpi.so"}, nullptr, OptionalLibrary::Names::shared);
  if (!library.is_loaded())
    return "this process was started by mpirun, and OpenMPI's library is not installed (Debian "
           "package libopenmpi3); install it, or run without mpirun";
  library.find("ompi_mpi_comm_world", mpi.world);
  library.find("ompi_mpi_byte", mpi.byte);
  library.find("MPI_Init_thread", mpi.init_thread);
  library.find("MPI_Finalize", mpi.finalize);
  library.find("MPI_Comm_rank", mpi.comm_rank);
  library.find("MPI_Comm_size", mpi.comm_size);
  library.find("MPI_Send", mpi.send);
  library.find("MPI_Recv", mpi.recv);
  library.find("MPI_Iprobe", mpi.iprobe);
  library.find("MPI_Get_count", mpi.get_count);
  library.find("MPI_Bcast", mpi.bcast);
  if (!library.is_whole())
    return "the MPI library is not OpenMPI's (Debian package libopenmpi3), with which studies work "
           "together; use the mpirun of OpenMPI";
  return "";
}

int number_in_environment(const char* name, int otherwise) {
  const char* text = environment(name);
  return text ? std::atoi(text) : otherwise;
}

class OpenMpiRanks final : public Ranks {
 public:
  explicit OpenMpiRanks(const MpiLibrary& mpi) : mpi_(mpi) {
    mpi_.comm_rank(mpi_.world, &rank_);
    mpi_.comm_size(mpi_.world, &size_);
    local_size_ = number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE", size_);
  }
  ~OpenMpiRanks() override { mpi_.finalize(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_size() const override { return local_size_; }

  void send(int to, const std::string& bytes) override {
    mpi_.send(bytes.data(), static_cast<int>(bytes.size()), mpi_.byte, to, study_tag, mpi_.world);
  }

  std::optional<Message> poll() override {
    int there = 0, count = 0;
    MpiStatus status;
    mpi_.iprobe(any_source, any_tag, mpi_.world, &there, &status);
    if (!there) return std::nullopt;
    mpi_.get_count(&status, mpi_.byte, &count);
    Message message{status.source, std::string(static_cast<std::size_t>(count), '\0')};
    mpi_.recv(message.bytes.data(), count, mpi_.byte, status.source, status.tag, mpi_.world,
              &status);
    return message;
  }

  void tell_all(bool& flag) override {
    char byte = flag ? 1 : 0;
    mpi_.bcast(&byte, 1, mpi_.byte, 0, mpi_.world);
    flag = byte != 0;
  }

 private:
  MpiLibrary mpi_;
  int rank_ = 0, size_ = 1, local_size_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> Ranks::join(std::string& problem) {
  const int size = number_in_environment(
      "OMPI_COMM_WORLD_SIZE",
      environment("PMIX_RANK") ? number_in_environment("SLURM_NTASKS", 2) : 1);
  if (size <= 1) return nullptr;
  MpiLibrary mpi;
  problem = load_mpi(mpi);
  if (!problem.empty()) return nullptr;
  int provided = 0;
  if (mpi.init_thread(nullptr, nullptr, funneled, &provided) != 0) {
    problem = "OpenMPI cannot be started in this process";
    return nullptr;
  }
  return std::make_unique<OpenMpiRanks>(mpi);
}

}  // namespace cartan::study
