#include <map>
#include <utility>

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/training/step/work_recorder.h"

namespace lambda {

namespace {

using QueueWork = std::function<std::vector<at::Tensor>()>;

/// Runs `work` and returns whether it succeeded. Used for cleaning up after a failure, where the
/// first error is the one to report.
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

/// The state of a random generator before it is registered with a graph. LibTorch marks a graph's
/// generators as recording, and unmarks them only at the end of a successful recording.
class UnheldGenerator {
 public:
  explicit UnheldGenerator(at::Generator generator)
      : generator_(std::move(generator)), copy_(generator_.clone()) {}

  void restore() { generator_.graphsafe_set_state(copy_); }

 private:
  at::Generator generator_;
  at::Generator copy_;
};

class RecordedGraph : public RecordedWork {
 public:
  RecordedGraph(const QueueWork& queueWork,
                const at::Generator& random,
                const c10::cuda::CUDAStream& stream)
      : pool_(at::cuda::graph_pool_handle()) {
    const c10::DeviceIndex device = stream.device_index();
    UnheldGenerator ours(random), common(at::globalContext().defaultGenerator(stream.device()));
    const c10::StreamGuard guard(stream.unwrap());
    try {
      graph_.register_generator_state(random);
      // Thread-local, because the studio's other threads may allocate and query memory meanwhile.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      made_ = queueWork();
      graph_.capture_end();
      recorded_ = graph_.raw_cuda_graph();
      graph_.instantiate();
    } catch (...) {
      abandon(device);
      succeeds([&] { ours.restore(); });
      succeeds([&] { common.restore(); });
      throw;
    }
    // The recording itself writes memory on a separate stream; the first replay must come after.
    c10::cuda::device_synchronize();
  }

  void replay() override { graph_.replay(); }

  WorkCounts counts() const override {
    std::size_t count = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(recorded_, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    C10_CUDA_CHECK(cudaGraphGetNodes(recorded_, nodes.data(), &count));
    WorkCounts counts;
    for (cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
      counts.kernels += type == cudaGraphNodeTypeKernel ? 1 : 0;
      counts.transfers +=
          type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset ? 1 : 0;
    }
    return counts;
  }

 private:
  /// Ends a failed recording, so that the stream and the allocators can be used again: CUDA ends an
  /// invalid recording, but the allocators do not notice.
  void abandon(c10::DeviceIndex device) {
    if (succeeds([&] { graph_.capture_end(); })) return;
    namespace memory = c10::cuda::CUDACachingAllocator;
    at::HostAllocator& pinned = *at::getHostAllocator(at::kCUDA);
    succeeds([&] { memory::endAllocateToPool(device, pool_); });
    succeeds([&] { memory::releasePool(device, pool_); });
    succeeds([&] { pinned.end_allocate_to_pool(pool_); });
    succeeds([&] { pinned.release_pool(pool_); });
  }

  at::cuda::MempoolId_t pool_;
  at::cuda::CUDAGraph graph_{/*keep_graph=*/true};  // capture_end() does not instantiate it.
  cudaGraph_t recorded_ = nullptr;                  // Owned by graph_.
  std::vector<at::Tensor> made_;
};

class CudaGraphRecorder : public WorkRecorder {
 public:
  std::unique_ptr<RecordedWork> record(const QueueWork& queueWork,
                                       const at::Generator& random) override {
    const c10::DeviceGuard guard(random.device());
    const c10::DeviceIndex device = random.device().index();
    // LibTorch can't record on its default stream. One stream of a GPU serves all its recordings,
    // because cuBLAS keeps a workspace for every stream it is used on.
    auto stream = streams_.find(device);
    if (stream == streams_.end()) {
      stream = streams_.emplace(device, c10::cuda::getStreamFromPool(false, device)).first;
    }
    // A recording uses a separate memory pool: the unused cache of earlier steps is freed for it.
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    return std::make_unique<RecordedGraph>(queueWork, random, stream->second);
  }

 private:
  std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams_;
};

}  // namespace

}  // namespace lambda

/// The exported function that kWorkRecorderSymbol names.
extern "C" __attribute__((visibility("default"))) lambda::WorkRecorder* lambdaWorkRecorder2() {
  static lambda::CudaGraphRecorder recorder;
  return &recorder;
}
