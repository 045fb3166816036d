#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// A GPU as the driver describes it.
struct Gpu {
  std::string name;
  int major = 0, minor = 0;  ///< The compute capability.
  std::uint64_t memoryBytes = 0;
  std::optional<std::uint64_t> freeBytes = std::nullopt;  ///< Nothing where it is not known.
  std::string uuid = {};  ///< Hexadecimal, of this GPU alone in the world; empty = unknown.

  bool operator==(const Gpu&) const = default;
};

/// The NVIDIA driver and its GPUs, as it describes them.
struct CudaDriver {
  bool isOpen = false;      ///< Whether its library could be opened.
  std::string openFailure;  ///< The loader's reason where it could not.
  std::string version;      ///< For example "580.65.06"; empty = unknown.
  int newestCuda = 0;       ///< The newest CUDA that it serves, 13000 for 13.0; 0 = unknown.
  int failureCode = 0;      ///< CUDA's code where the GPUs can't be listed; 0 = they can.
  std::string failure;      ///< CUDA's text for that code.
  std::vector<Gpu> gpus;    ///< In the order of their numbers, without those that are hidden.
};

/// CUDA's code for a machine without a GPU that the process may see.
inline constexpr int kCudaNoDevice = 100;

/// The places where a driver is found.
struct CudaDriverFiles {
  std::string library = "libcuda.so.1";
  std::string management = "libnvidia-ml.so.1";  ///< NVML, which knows the free memory.
  std::string versionFile = "/proc/driver/nvidia/version";
};

/// Asks the driver. Makes no CUDA context, so it takes no memory of a GPU. The libraries stay open.
CudaDriver readCudaDriver(const CudaDriverFiles& files = {});

/// The version in the text of /proc/driver/nvidia/version; empty if it has none.
std::string driverVersionIn(const std::string& text);

}  // namespace lambda
