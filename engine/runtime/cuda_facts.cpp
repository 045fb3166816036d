#include "engine/runtime/cuda_facts.h"

#include <array>

namespace lambda {

namespace {

/// The first driver of each major version of CUDA.
struct FirstDriver {
  int cudaMajor;
  const char* version;
};

constexpr std::array kFirstDrivers{FirstDriver{12, "525.60.13"}, FirstDriver{13, "580"}};

/// The driver of the LibTorch that app/setup fetches.
constexpr int kUsualCuda = 13000;

int majorOf(int cuda) {
  return cuda / 1000;
}

std::string driverText(const CudaDriver& driver) {
  return driver.version.empty() ? "the NVIDIA driver" : "the NVIDIA driver " + driver.version;
}

CudaObstacle withoutDriver(const CudaDriver& driver) {
  if (driver.version.empty()) {
    return {"no NVIDIA driver is installed",
            "install an NVIDIA driver, " + driverNeededFor(kUsualCuda) +
                " or later, and run app/setup again"};
  }
  return {driverText(driver) + " is loaded, but its library can't be opened (" +
              driver.openFailure + ")",
          "install the whole driver; a container must be started with access to the GPUs"};
}

CudaObstacle withOldDriver(const CudaFacts& facts) {
  const std::string needed = driverNeededFor(facts.torch.version);
  const std::string newer = needed.empty() ? "a newer driver" : "driver " + needed + " or later";
  return {driverText(facts.driver) + " is too old: it serves CUDA up to " +
              cudaVersionText(facts.driver.newestCuda) + ", and this LibTorch is built for CUDA " +
              cudaVersionText(facts.torch.version) + ", which needs " + newer,
          "install " + newer};
}

CudaObstacle withoutGpu(const CudaFacts& facts) {
  CudaObstacle obstacle{driverText(facts.driver) + " reports no GPU", "install one"};
  if (facts.visibleGpus) {
    obstacle.reason += ", and CUDA_VISIBLE_DEVICES is \"" + *facts.visibleGpus + "\"";
    obstacle.remedy = "unset CUDA_VISIBLE_DEVICES, which hides GPUs";
  }
  return obstacle;
}

}  // namespace

std::optional<CudaObstacle> cudaObstacle(const CudaFacts& facts) {
  const CudaDriver& driver = facts.driver;
  if (!driver.isOpen) return withoutDriver(driver);
  if (!facts.torch.failure.empty()) {
    return CudaObstacle{"this LibTorch was fetched without CUDA (" + facts.torch.failure + ")",
                        "run app/setup again, which fetches the one with CUDA"};
  }
  if (isTooOldFor(driver, facts.torch)) return withOldDriver(facts);
  const bool isStarted = driver.failureCode == 0;
  if (driver.failureCode == kCudaNoDevice || (isStarted && driver.gpus.empty())) {
    return withoutGpu(facts);
  }
  if (!isStarted) {
    return CudaObstacle{driverText(driver) + " can't list its GPUs: " + driver.failure +
                            " (CUDA error " + std::to_string(driver.failureCode) + ")",
                        "make nvidia-smi list them; a restart helps after an update of the driver"};
  }
  if (facts.torch.gpus == 0) {
    return CudaObstacle{"LibTorch can use none of the GPUs that " + driverText(driver) + " lists",
                        "choose a GPU that LibTorch supports"};
  }
  return std::nullopt;
}

bool isTooOldFor(const CudaDriver& driver, const TorchCuda& torch) {
  return driver.newestCuda > 0 && majorOf(driver.newestCuda) < majorOf(torch.version);
}

std::string cudaVersionText(int version) {
  return std::to_string(majorOf(version)) + "." + std::to_string(version % 1000 / 10);
}

std::string driverNeededFor(int cuda) {
  for (const FirstDriver& first : kFirstDrivers) {
    if (first.cudaMajor == majorOf(cuda)) return first.version;
  }
  return {};
}

}  // namespace lambda
