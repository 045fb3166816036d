// Compares the core's CUDA kernels on a real GPU with loops in double: every sample of
// tests/support/core_reference.h, with both element types and with aligned and unaligned operands.
// Each runs twice and must give the same bits. Needs neither Qt nor LibTorch and is small enough
// for compute-sanitizer.
// usage: check_lambda_core_cuda PLUGIN [WORD IN SAMPLE NAMES]
// Exit status: 0 = all are correct, 1 = some are wrong, 77 = there is no GPU.

#include <cstdio>
#include <exception>
#include <string>

#include "tests/gpu/plugin_at.h"
#include "tests/support/device_core.h"

namespace lambda::test {

namespace {

bool check(const CudaKernels& kernels, const CoreSample& sample, Element element) {
  CoreReference reference(sample);
  if (element == Element::bfloat16) reference.round();
  const CoreResults expected = reference.results();
  bool isWell = true;
  for (const std::size_t offset : {0, 1}) {
    DeviceCore core(kernels, reference, element, offset),
        again(kernels, reference, element, offset);
    for (DeviceCore* each : {&core, &again}) {
      requireCuda(each->forward());
      requireCuda(each->backward());
    }
    const Furthest most = furthest(core, expected);
    const bool isClose = most.distance < toleranceOf(element);
    const bool isSame = again.hasSameResults(core);
    isWell = isWell && isClose && isSame;
    std::printf("%-8s %-8s %-32s %.2g of %s%s%s\n",
                element == Element::float32 ? "float32" : "bfloat16",
                offset == 0 ? "aligned" : "odd",
                sample.name,
                most.distance,
                most.of.c_str(),
                isClose ? "" : "  TOO FAR",
                isSame ? "" : "  DIFFERENT BITS IN THE SECOND RUN");
  }
  return isWell;
}

int run(const std::string& plugin, const std::string& word) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fputs("There is no GPU for the check.\n", stderr);
    return 77;
  }
  const CudaKernels& kernels = openKernels(plugin);
  bool isWell = true;
  for (const CoreSample& sample : coreSamples()) {
    if (std::string(sample.name).find(word) == std::string::npos) continue;
    for (const Element element : {Element::float32, Element::bfloat16})
      isWell = check(kernels, sample, element) && isWell;
  }
  std::puts(isWell ? "All well." : "NOT well.");
  return isWell ? 0 : 1;
}

}  // namespace

}  // namespace lambda::test

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: check_lambda_core_cuda PLUGIN [WORD IN SAMPLE NAMES]\n", stderr);
    return 2;
  }
  try {
    return lambda::test::run(arguments[1], count > 2 ? arguments[2] : "");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
