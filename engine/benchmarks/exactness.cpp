#include "engine/benchmarks/exactness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include "engine/benchmarks/device/device_memory.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// In float64, a tensor below this share of the largest one is 0 except for rounding.
constexpr double kRounding = 1e-12;

/// Allocates memory with all bits set, which is NaN in float32, float64 and bfloat16.
class PoisoningAllocator : public c10::Allocator {
 public:
  /// The allocator whose memory is poisoned.
  c10::Allocator* inner = nullptr;

  at::DataPtr allocate(std::size_t bytes) override {
    at::DataPtr data = inner->allocate(bytes);
    if (bytes > 0) std::memset(data.get(), 0xFF, bytes);
    return data;
  }

  at::DeleterFnPtr raw_deleter() const override { return inner->raw_deleter(); }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    inner->copy_data(to, from, bytes);
  }
};

/// Never destroyed: LibTorch may ask for it until the process ends.
PoisoningAllocator& poisoningAllocator() {
  static auto* const allocator = new PoisoningAllocator;
  return *allocator;
}

}  // namespace

PoisonedTensors::PoisonedTensors(const at::Device& device) {
  if (device.is_cuda()) poisonUnusedMemory(device);
  poisoningAllocator().inner = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&poisoningAllocator());
}

PoisonedTensors::~PoisonedTensors() {
  c10::SetCPUAllocator(poisoningAllocator().inner);
}

double relativeDistance(const std::vector<at::Tensor>& found,
                        const std::vector<at::Tensor>& expected) {
  double largest = 0;
  for (const at::Tensor& tensor : expected)
    largest = std::max(largest, tensor.norm().item<double>());
  double furthest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = (found[i].to(at::kDouble) - expected[i]).norm().item<double>();
    if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
    const double size = expected[i].norm().item<double>();
    furthest = std::max(furthest, distance / (size > kRounding * largest ? size : largest));
  }
  return furthest;
}

double toleranceOf(Precision precision) {
  return precision == Precision::bfloat16 ? 1e-2 : 1e-5;
}

void requireExact(const std::string& form, double distance, Precision precision, double slack) {
  const double tolerance = slack * toleranceOf(precision);
  if (distance <= tolerance) return;
  char text[64];
  std::snprintf(text,
                sizeof text,
                "%.2g away from float64, but at most %.0e is accepted",
                distance,
                tolerance);
  throw Error(form, text, "nothing was timed; this is a defect of the program");
}

}  // namespace lambda
