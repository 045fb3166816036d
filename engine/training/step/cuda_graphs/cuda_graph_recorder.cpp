#include <optional>
#include <utility>

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/training/step/work_recorder.h"

namespace lambda {

namespace {

using QueueWork = std::function<std::vector<at::Tensor>()>;

/// Whether it could be done. For the way out of a failure, whose first error is the one to tell.
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

/// A generator as it is before a graph takes hold of it. LibTorch tells a graph's generators that
/// they record, and tells them the contrary only at the end of a recording that went well.
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
      // Of other threads nothing is asked: the studio's own may allocate and look at memory.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      made_ = queueWork();
      graph_.capture_end();
      graph_.instantiate();
    } catch (...) {
      abandon(device);
      succeeds([&] { ours.restore(); });
      succeeds([&] { common.restore(); });
      throw;
    }
    // What the recording itself wrote, on a stream of its own, comes before the first replay.
    c10::cuda::device_synchronize();
  }

  void replay() override { graph_.replay(); }

 private:
  /// Leaves the recording, so that the stream and the allocators serve others again: one that was
  /// spoilt is over for CUDA, but not for them.
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
  at::cuda::CUDAGraph graph_{/*keep_graph=*/true};  // Not instantiated by the end of a recording.
  std::vector<at::Tensor> made_;
};

class CudaGraphRecorder : public WorkRecorder {
 public:
  std::unique_ptr<RecordedWork> record(const QueueWork& queueWork,
                                       const at::Generator& random) override {
    // LibTorch records on any stream but its default one; cuBLAS keeps memory for each that it
    // meets.
    if (!stream_) stream_ = c10::cuda::getStreamFromPool();
    // A record has memory of its own: what steps before it left unused is given back for it.
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    return std::make_unique<RecordedGraph>(queueWork, random, *stream_);
  }

 private:
  std::optional<c10::cuda::CUDAStream> stream_;  // Of the one GPU that runs compute on.
};

}  // namespace

}  // namespace lambda

/// kWorkRecorderSymbol.
extern "C" __attribute__((visibility("default"))) lambda::WorkRecorder* lambdaWorkRecorder1() {
  static lambda::CudaGraphRecorder recorder;
  return &recorder;
}
