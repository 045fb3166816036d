// A driver without a GPU behind it: the functions of libcuda and of NVML that list GPUs. What they
// tell is in environment variables, so that a test can change it, also for another process.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

struct FakeGpu {
  const char* name;
  int major, minor;
  std::size_t bytes;
  unsigned long long free;
  const char* address;
};

constexpr FakeGpu kGpus[] = {
    {"NVIDIA H200", 9, 0, 150'000'000'000, 148'000'000'000, "0000:04:00.0"},
    {"Tesla T4", 7, 5, 16'000'000'000, 12'000'000'000, "0000:3B:00.0"}};
constexpr int kCount = 2;

constexpr int kInvalid = 1;
constexpr int kMajor = 75;

int numberIn(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

int copy(const char* text, char* to, std::size_t size) {
  if (std::strlen(text) >= size) return kInvalid;
  std::strcpy(to, text);
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) {
  return numberIn("FAKE_CUDA_INIT", 0);
}

int cuDriverGetVersion(int* version) {
  *version = numberIn("FAKE_CUDA_VERSION", 13000);
  return 0;
}

int cuGetErrorString(int code, const char** text) {
  *text = code == 802 ? "system not yet initialized" : "another error";
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = std::min(numberIn("FAKE_CUDA_GPUS", kCount), kCount);
  return 0;
}

int cuDeviceGet(int* device, int number) {
  *device = 40 + number;
  return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
  return copy(kGpus[device - 40].name, name, static_cast<std::size_t>(size));
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const FakeGpu& gpu = kGpus[device - 40];
  *value = attribute == kMajor ? gpu.major : gpu.minor;
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  *bytes = kGpus[device - 40].bytes;
  return 0;
}

int cuDeviceGetUuid_v2(void* uuid, int device) {
  std::memset(uuid, device, 16);
  return 0;
}

int cuDeviceGetPCIBusId(char* address, int size, int device) {
  return copy(kGpus[device - 40].address, address, static_cast<std::size_t>(size));
}

int nvmlInit_v2() {
  return numberIn("FAKE_NVML_INIT", 0);
}

int nvmlShutdown() {
  return 0;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  return copy("580.65.06", version, size);
}

// A handle is a number, so that it fits into the opaque pointers that are passed here.
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** gpu) {
  for (int i = 0; i < kCount; ++i) {
    if (std::strcmp(kGpus[i].address, address) != 0) continue;
    *gpu = reinterpret_cast<void*>(static_cast<std::uintptr_t>(i + 1));
    return 0;
  }
  return kInvalid;
}

int nvmlDeviceGetMemoryInfo(void* gpu, void* memory) {
  const FakeGpu& fake = kGpus[reinterpret_cast<std::uintptr_t>(gpu) - 1];
  const unsigned long long sizes[] = {fake.bytes, fake.free, fake.bytes - fake.free};
  std::memcpy(memory, sizes, sizeof sizes);
  return 0;
}

}  // extern "C"
