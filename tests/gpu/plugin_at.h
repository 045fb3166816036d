#pragma once

#include <dlfcn.h>
#include <stdexcept>
#include <string>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::test {

/// The kernels of a plugin; throws std::runtime_error if the file can't be opened, has another
/// version, or can't run on the first GPU.
inline const CudaKernels& openKernels(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle != nullptr ? dlsym(handle, kCudaKernelsSymbol) : nullptr;
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  const CudaKernels& kernels = *reinterpret_cast<GetCudaKernels>(symbol)();
  if (kernels.version != kCudaKernelsVersion) throw std::runtime_error(file + ": wrong version");
  const CudaOutcome outcome = kernels.checkDevice(0);
  if (outcome.code != 0) throw std::runtime_error(outcome.text);
  return kernels;
}

}  // namespace lambda::test
