#pragma once

// Contexts of the images that a thread holds in its second-level cache, in the layouts that the
// lambda core in bfloat16 reads: values and content lambda in pairs, and for the backward pass the
// sums of the content lambda's gradient.

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/bfloat16/pair_layout.h"

#if defined(__x86_64__)

namespace lambda {

/// The contexts of some images, each in a slot. Padding stays 0.
class PairContextSlots {
 public:
  PairContextSlots(const CoreShape& shape,
                   const PairLayout& layout,
                   std::int64_t slots,
                   bool isBackward)
      : shape_(shape),
        layout_(layout),
        isBackward_(isBackward),
        values_(slots * valuesSize()),
        valuesTransposed_(isBackward ? slots * valuesSize() : 0),
        content_(shape.hasContent ? slots * contentSize() : 0),
        contentTransposed_(shape.hasContent && isBackward ? slots * contentSize() : 0),
        contentGradient_(shape.hasContent && isBackward ? slots * contentSize() : 0) {}

  /// [columns / 2, v, 2]
  Bfloat16* values(std::int64_t slot) const { return values_.get() + slot * valuesSize(); }

  /// [v / 2, columns, 2]
  Bfloat16* valuesTransposed(std::int64_t slot) const {
    return valuesTransposed_.get() + slot * valuesSize();
  }

  /// lambda_c [k / 2, v, 2]
  Bfloat16* content(std::int64_t slot) const { return content_.get() + slot * contentSize(); }

  /// [v / 2, k, 2]
  Bfloat16* contentTransposed(std::int64_t slot) const {
    return contentTransposed_.get() + slot * contentSize();
  }

  /// dlambda_c [k, v]
  float* contentGradient(std::int64_t slot) const {
    return contentGradient_.get() + slot * contentSize();
  }

 protected:
  std::int64_t valuesSize() const { return layout_.columns * layout_.v; }

  std::int64_t contentSize() const { return layout_.k * layout_.v; }

  const CoreShape& shape_;
  const PairLayout& layout_;
  bool isBackward_;

 private:
  AlignedBuffer<Bfloat16> values_;
  AlignedBuffer<Bfloat16> valuesTransposed_;
  AlignedBuffer<Bfloat16> content_;
  AlignedBuffer<Bfloat16> contentTransposed_;
  AlignedBuffer<float> contentGradient_;
};

}  // namespace lambda

#endif
