#include "engine/training/processes/gradient_mean.h"

#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include <c10/core/Event.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "engine/runtime/error.h"
#include "engine/runtime/seconds_since.h"

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

c10::intrusive_ptr<c10d::ProcessGroup> groupOf(Processes& processes) {
  return c10::intrusive_ptr<c10d::ProcessGroup>::unsafe_reclaim_from_nonowning(&processes.group());
}

/// The indices of the parameters in each bucket. The backward pass has the last gradient first.
std::vector<std::vector<std::size_t>> bucketsOf(const std::vector<at::Tensor>& parameters,
                                                bool overlaps) {
  std::vector<at::Tensor> reversed(parameters.rbegin(), parameters.rend());
  std::vector<std::size_t> caps{c10d::kDefaultFirstBucketBytes, c10d::kDefaultBucketBytesCap};
  if (!overlaps) caps = {std::numeric_limits<std::size_t>::max() / 2};
  auto [buckets, bytes] = c10d::compute_bucket_assignment_by_size(reversed, caps);
  for (auto& bucket : buckets) {
    for (std::size_t& index : bucket) index = parameters.size() - 1 - index;
  }
  return buckets;
}

}  // namespace

/// How long a GPU waits for the others, by its own clock: the host only queues its work.
class GradientMean::GpuWait {
 public:
  explicit GpuWait(const at::Device& gpu) : gpu_(gpu) {}

  /// From when what is queued is done: this rank's own gradients.
  void begin() { record(began_); }

  /// Waits until the GPU has the gradients of all. Returns the seconds since begin().
  double end() {
    record(ended_);
    ended_.synchronize();
    return began_.elapsedTime(ended_) / 1000;
  }

 private:
  void record(c10::Event& event) {
    event.record(c10::impl::getDeviceGuardImpl(gpu_.type())->getStream(gpu_));
  }

  at::Device gpu_;
  c10::Event began_{gpu_.type(), c10::EventFlag::BACKEND_DEFAULT};  // With its time.
  c10::Event ended_{gpu_.type(), c10::EventFlag::BACKEND_DEFAULT};
};

/// What happens to a bucket of gradients when it is full.
class GradientMean::Sum : public c10d::CommHookInterface {
 public:
  Sum(c10::intrusive_ptr<c10d::ProcessGroup> group, const at::Device& device)
      : group_(std::move(group)) {
    if (device.is_cuda()) gpuWait_.emplace(device);
  }

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    std::vector<at::Tensor> tensors{bucket.getBufferRef()};
    sent.push_back({static_cast<std::int64_t>(tensors[0].nbytes()), Clock::now()});
    if (gpuWait_) gpuWait_->begin();
    last_ = group_->allreduce(tensors);
    return last_->getFuture();
  }

  at::Tensor parseHookResult(const c10::IValue& result) override {
    return c10d::detail::parseCppCommHookResult(result);
  }

  /// The seconds since this rank's own gradients were there. The backward pass is over.
  double waitedSeconds() {
    if (!gpuWait_) return secondsSince(sent.back().at);
    // The reducer only queues its wait, and this one throws where NCCL has failed.
    last_->wait();
    return gpuWait_->end();
  }

  std::vector<SentBucket> sent;

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  c10::intrusive_ptr<c10d::Work> last_;  // Of the latest bucket.
  std::optional<GpuWait> gpuWait_;       // Nothing for a CPU.
};

struct GradientMean::Buckets {
  Buckets(Processes& processes, std::vector<at::Tensor> parameters, bool overlaps)
      : reducer(parameters,
                bucketsOf(parameters, overlaps),
                groupOf(processes),
                /*expect_sparse_gradients=*/std::vector<bool>(parameters.size(), false),
                c10d::kDefaultBucketBytesCap,
                /*find_unused_parameters=*/false,
                /*gradient_as_bucket_view=*/false,
                /*param_names=*/{},
                c10d::kDefaultFirstBucketBytes,
                /*skip_all_reduce_unused_params=*/false,
                /*use_python_reducer=*/false,
                /*bucket_bytes_cap_list=*/{}) {
    auto hook = std::make_unique<Sum>(groupOf(processes), parameters.front().device());
    sum = hook.get();
    reducer.register_comm_hook(std::move(hook));
  }

  c10d::Reducer reducer;
  Sum* sum;                                                   // Owned by the reducer.
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes;  // Which gather the gradients.
  double waitedSeconds = 0;
};

GradientMean::GradientMean(Processes& processes, std::vector<at::Tensor> parameters, bool overlaps)
    : processes_(processes), parameters_(std::move(parameters)), overlaps_(overlaps) {
  prepare();
}

GradientMean::~GradientMean() = default;

/// Weights in bfloat16 that were exchanged for their masters, as for an inspection, have a new node
/// of autograd each afterwards, and the reducer waits at the old one.
void GradientMean::prepare() {
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes;
  for (const at::Tensor& each : parameters_) {
    nodes.push_back(torch::autograd::impl::grad_accumulator(each));
  }
  if (buckets_ && buckets_->nodes == nodes) return;
  buckets_.reset();
  buckets_ = std::make_unique<Buckets>(processes_, parameters_, overlaps_);
  buckets_->nodes = std::move(nodes);
}

void GradientMean::backward(const at::Tensor& loss, double share) {
  prepare();
  try {
    const at::Tensor part = loss * share;
    buckets_->sum->sent.clear();
    // The reducer would remember every gradient for new buckets, which are never made.
    buckets_->reducer.reset_state();
    buckets_->reducer.prepare_for_forward();
    buckets_->reducer.prepare_for_backward({part});
    part.backward();
    buckets_->waitedSeconds = buckets_->sum->waitedSeconds();
  } catch (const std::exception&) {
    processes_.failed();
  }
}

double GradientMean::waitedSeconds() const {
  return buckets_->waitedSeconds;
}

const std::vector<SentBucket>& GradientMean::sentBuckets() const {
  return buckets_->sum->sent;
}

}  // namespace lambda
