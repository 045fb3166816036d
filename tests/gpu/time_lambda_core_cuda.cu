// Times the core's CUDA kernels on a GPU, without any library around them. A CUDA graph holds
// several passes, which rotate through operands larger than the L2 cache, so that neither launches
// nor caches decide. Prints the median, 10th and 90th percentile in microseconds, and the time that
// only reading the operands and writing the results would take, as a share of the median.
// usage: time_lambda_core_cuda PLUGIN [BATCH]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "tests/gpu/plugin_at.h"
#include "tests/support/device_core.h"

namespace lambda::test {

namespace {

constexpr int kRepetitions = 60;

/// Bytes of the operands that a graph rotates through; the L2 cache of an H100 has 50 MB.
constexpr std::size_t kRotatedBytes = std::size_t{128} << 20;
constexpr std::size_t kMostCores = 64;

struct Case {
  std::int64_t side, valueDepth, scope;
};

constexpr Case kCases[] = {{8, 16, 0},
                           {8, 32, 0},
                           {8, 64, 0},
                           {4, 32, 0},
                           {4, 64, 0},
                           {2, 64, 0},
                           {2, 128, 0},
                           {1, 128, 0},
                           {16, 16, 0},
                           {16, 32, 0},
                           {16, 32, 7},
                           {32, 16, 0},
                           {32, 16, 7}};

/// Bytes of q, kbar, v and y; a backward pass moves these and their gradients.
double bytesOf(const CoreShape& shape, Element element) {
  const double rows = static_cast<double>(shape.images * shape.queries * shape.heads);
  const double context = static_cast<double>(shape.images * shape.contextRows());
  const double depths = static_cast<double>(shape.queryDepth + shape.valueDepth);
  return (rows + context) * depths * (element == Element::float32 ? 4 : 2);
}

/// The times of one pass in microseconds, in ascending order.
std::vector<double> time(std::size_t passes, const std::function<void(cudaStream_t)>& queueAll) {
  cudaStream_t stream;
  requireCuda(cudaStreamCreate(&stream));
  queueAll(stream);
  requireCuda(cudaStreamSynchronize(stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  requireCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  queueAll(stream);
  requireCuda(cudaStreamEndCapture(stream, &graph));
  requireCuda(cudaGraphInstantiate(&executable, graph, 0));
  cudaEvent_t begin, end;
  requireCuda(cudaEventCreate(&begin));
  requireCuda(cudaEventCreate(&end));
  std::vector<double> microseconds;
  for (int i = -5; i < kRepetitions; ++i) {
    requireCuda(cudaEventRecord(begin, stream));
    requireCuda(cudaGraphLaunch(executable, stream));
    requireCuda(cudaEventRecord(end, stream));
    requireCuda(cudaEventSynchronize(end));
    float milliseconds = 0;
    requireCuda(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 0) microseconds.push_back(1e3 * milliseconds / static_cast<double>(passes));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  std::sort(microseconds.begin(), microseconds.end());
  return microseconds;
}

double copiedBytesPerMicrosecond() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const DeviceMemory from(kBytes), to(kBytes);
  const std::vector<double> took = time(1, [&](cudaStream_t stream) {
    requireCuda(cudaMemcpyAsync(to.get(), from.get(), kBytes, cudaMemcpyDeviceToDevice, stream));
  });
  return 2.0 * static_cast<double>(kBytes) / took[took.size() / 2];
}

void timeCase(const CudaKernels& kernels,
              const Case& one,
              std::int64_t batch,
              Element element,
              double bytesPerMicrosecond) {
  const std::int64_t images = one.side > 16 ? batch / 4 : batch;
  const CoreReference reference(
      {"", images, one.side, one.side, 1, 4, 16, one.valueDepth, one.scope, true, true});
  const double bytes = bytesOf(reference.shape, element);
  const std::size_t count = std::clamp<std::size_t>(
      static_cast<std::size_t>(static_cast<double>(kRotatedBytes) / bytes) + 1, 2, kMostCores);
  std::vector<std::unique_ptr<DeviceCore>> cores;
  for (std::size_t i = 0; i < count; ++i)
    cores.push_back(std::make_unique<DeviceCore>(kernels, reference, element));
  std::printf("%2dx%-2d v %-3d r %-2d b %-4d %-8s",
              static_cast<int>(one.side),
              static_cast<int>(one.side),
              static_cast<int>(one.valueDepth),
              static_cast<int>(one.scope),
              static_cast<int>(images),
              element == Element::float32 ? "float32" : "bfloat16");
  for (const bool isForward : {true, false}) {
    const std::vector<double> took = time(count, [&](cudaStream_t stream) {
      for (const auto& core : cores)
        requireCuda(isForward ? core->forward({0, stream}) : core->backward({0, stream}));
    });
    const double median = took[took.size() / 2];
    const double least = (isForward ? 1 : 2) * bytes / bytesPerMicrosecond;
    std::printf("   %s %8.2f us (%.2f to %.2f) %3.0f %%",
                isForward ? "forward" : "backward",
                median,
                took[took.size() / 10],
                took[took.size() * 9 / 10],
                100 * least / median);
  }
  std::puts("");
}

void run(const char* plugin, std::int64_t batch) {
  const CudaKernels& kernels = openKernels(plugin);
  const double bytesPerMicrosecond = copiedBytesPerMicrosecond();
  std::printf("A copy moves %.0f GB/s, reads and writes together.\n", 1e-3 * bytesPerMicrosecond);
  for (const Case& one : kCases) {
    for (const Element element : {Element::bfloat16, Element::float32})
      timeCase(kernels, one, batch, element, bytesPerMicrosecond);
  }
}

}  // namespace

}  // namespace lambda::test

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: time_lambda_core_cuda PLUGIN [BATCH]\n", stderr);
    return 2;
  }
  try {
    lambda::test::run(arguments[1], count > 2 ? std::atoll(arguments[2]) : 128);
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
