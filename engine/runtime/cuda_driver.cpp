#include "engine/runtime/cuda_driver.h"

#include <array>
#include <cctype>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

namespace lambda {

namespace {

constexpr int kSuccess = 0;

// These numbers stand in cuda.h.
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

constexpr int kLongestText = 256;

/// A function of an open library; null where it lacks it.
template <class Function>
Function* functionOf(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char each : bytes) {
    for (const int digit : {each >> 4, each & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

/// NVML, which tells the free memory without a CUDA context. Does nothing where it is missing.
class Management {
 public:
  explicit Management(const std::string& file) : library_(dlopen(file.c_str(), RTLD_NOW)) {
    if (library_ == nullptr) return;
    auto* start = functionOf<int()>(library_, "nvmlInit_v2");
    isStarted_ = start != nullptr && start() == kSuccess;
  }

  ~Management() {
    if (!isStarted_) return;
    if (auto* stop = functionOf<int()>(library_, "nvmlShutdown")) stop();
  }

  Management(const Management&) = delete;
  Management& operator=(const Management&) = delete;

  std::string driverVersion() const {
    std::array<char, kLongestText> text{};
    auto* read = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return read != nullptr && read(text.data(), kLongestText - 1) == kSuccess ? text.data() : "";
  }

  /// The free bytes of the GPU at an address of the PCI bus.
  std::optional<std::uint64_t> freeBytes(const char* address) const {
    struct {
      unsigned long long total, free, used;
    } memory{};

    void* gpu = nullptr;
    auto* find = function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    auto* read = function<int(void*, void*)>("nvmlDeviceGetMemoryInfo");
    if (find == nullptr || read == nullptr || find(address, &gpu) != kSuccess ||
        read(gpu, &memory) != kSuccess) {
      return std::nullopt;
    }
    return memory.free;
  }

 private:
  template <class Function>
  Function* function(const char* name) const {
    return isStarted_ ? functionOf<Function>(library_, name) : nullptr;
  }

  void* library_;
  bool isStarted_ = false;
};

/// The functions of libcuda that list the GPUs.
class DriverLibrary {
 public:
  explicit DriverLibrary(void* library) : library_(library) {}

  int newestCuda() const {
    int version = 0;
    return call<int*>("cuDriverGetVersion", &version) == kSuccess ? version : 0;
  }

  int start() const { return call<unsigned>("cuInit", 0); }

  std::string textOf(int code) const {
    const char* text = nullptr;
    const int outcome = call<int, const char**>("cuGetErrorString", code, &text);
    return outcome == kSuccess && text != nullptr ? text : "unknown error";
  }

  int count(int& gpus) const { return call<int*>("cuDeviceGetCount", &gpus); }

  Gpu gpu(int number, const Management& management) const {
    Gpu gpu;
    int device = 0;
    if (call<int*, int>("cuDeviceGet", &device, number) != kSuccess) return gpu;
    std::array<char, kLongestText> text{};
    if (call<char*, int, int>("cuDeviceGetName", text.data(), kLongestText - 1, device) == kSuccess)
      gpu.name = text.data();
    call<int*, int, int>("cuDeviceGetAttribute", &gpu.major, kCapabilityMajor, device);
    call<int*, int, int>("cuDeviceGetAttribute", &gpu.minor, kCapabilityMinor, device);
    std::array<unsigned char, 16> uuid{};
    if (call<void*, int>("cuDeviceGetUuid_v2", uuid.data(), device) == kSuccess) {
      gpu.uuid = hexadecimal(uuid);
    }
    std::size_t bytes = 0;
    call<std::size_t*, int>("cuDeviceTotalMem_v2", &bytes, device);
    gpu.memoryBytes = bytes;
    if (call<char*, int, int>("cuDeviceGetPCIBusId", text.data(), kLongestText - 1, device) ==
        kSuccess) {
      gpu.freeBytes = management.freeBytes(text.data());
    }
    // NVML describes the whole GPU where the process has only a part of it.
    if (gpu.freeBytes > gpu.memoryBytes) gpu.freeBytes.reset();
    return gpu;
  }

 private:
  /// The function's result; not kSuccess where the library lacks it.
  template <class... Parameters>
  int call(const char* name, Parameters... parameters) const {
    auto* function = functionOf<int(Parameters...)>(library_, name);
    return function != nullptr ? function(parameters...) : -1;
  }

  void* library_;
};

std::string textOf(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string driverVersionIn(const std::string& text) {
  std::istringstream line(text.substr(0, text.find('\n')));
  for (std::string word; line >> word;) {
    const bool isNumber = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (isNumber && word.find('.') != std::string::npos) return word;
  }
  return {};
}

CudaDriver readCudaDriver(const CudaDriverFiles& files) {
  CudaDriver driver;
  driver.version = driverVersionIn(textOf(files.versionFile));
  // LibTorch's libraries find the driver's functions by their names.
  void* opened = dlopen(files.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) {
    const char* reason = dlerror();
    driver.openFailure = reason != nullptr ? reason : "no reason is given";
    return driver;
  }
  driver.isOpen = true;
  const DriverLibrary library(opened);
  const Management management(files.management);
  if (driver.version.empty()) driver.version = management.driverVersion();
  driver.newestCuda = library.newestCuda();
  int gpus = 0;
  driver.failureCode = library.start();
  if (driver.failureCode == kSuccess) driver.failureCode = library.count(gpus);
  if (driver.failureCode != kSuccess) {
    driver.failure = library.textOf(driver.failureCode);
    return driver;
  }
  for (int number = 0; number < gpus; ++number) {
    driver.gpus.push_back(library.gpu(number, management));
  }
  return driver;
}

}  // namespace lambda
