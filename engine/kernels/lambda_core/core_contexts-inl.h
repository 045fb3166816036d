// Contexts of the images that a thread holds in its second-level cache: values, keys and the
// content lambda lambda_c = kbar^T v, in the layouts that the products of the lambda core read, and
// the gradients of values and lambda_c. See the page in lambda_core_kernel.h. Included once for
// each instruction set.

#if defined(LAMBDA_CORE_CONTEXTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_CONTEXTS_INL_H_
#undef LAMBDA_CORE_CONTEXTS_INL_H_
#else
#define LAMBDA_CORE_CONTEXTS_INL_H_
#endif

#include <vector>

#include "engine/kernels/lambda_core/core_blocks-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The contexts of the resident images, each in its slot: the values in whole vectors, and the
/// content lambda or, where the scores include the keys, the keys transposed. The backward pass
/// also has the content lambda transposed and, if the layout wants them, the values. Where v is
/// whole vectors, the caller's memory is used for the values and their gradients.
class Contexts {
 public:
  Contexts(const CoreShape& shape, const Layout& layout, Index slots, bool isBackward)
      : shape_(shape),
        layout_(layout),
        isBackward_(isBackward),
        valuesAt_(static_cast<std::size_t>(slots)),
        valuesGradientAt_(static_cast<std::size_t>(isBackward ? slots : 0)),
        values_(layout_.padsValues() ? slots * valuesSize() : 0),
        content_(layout.usesContentLambda ? slots * contentSize() : 0),
        valuesTransposed_(
            isBackward && layout.transposesValues ? slots * layout.v * layout.transposedStride : 0),
        contentTransposed_(
            isBackward && layout.usesContentLambda ? slots * layout.v * layout.kPadded : 0),
        valuesGradient_(isBackward && layout_.padsValues() ? slots * valuesSize() : 0),
        contentGradient_(isBackward && layout.usesContentLambda ? slots * contentSize() : 0),
        keysTransposed_(layout.scoresIncludeKeys ? slots * layout.k * layout.transposedStride : 0),
        contentGradientTransposed_(
            isBackward && layout.usesContentLambda ? layout.v * layout.kPadded : 0),
        keyGradient_(isBackward && layout.usesContentLambda && layout_.padsDepth()
                         ? layout.context * layout.kPadded
                         : 0) {}

  /// Fills a slot for the backward pass, and chooses where the gradient of the values is summed.
  void take(const CoreInputs& inputs, const CoreGradients& gradients, Index slot, Index image) {
    valuesGradientAt_[static_cast<std::size_t>(slot)] =
        layout_.padsValues() ? valuesGradient_.get() + slot * valuesSize()
                             : gradients.values + image * valuesSize();
    take(inputs, slot, image);
  }

  /// Fills a slot with the context of an image.
  void take(const CoreInputs& inputs, Index slot, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    const float* from = inputs.values + image * context * v;
    const float* values = from;
    if (layout_.padsValues()) {
      float* whole = values_.get() + slot * valuesSize();
      for (Index row = 0; row < context; ++row)
        copyRun(from + row * v, v, whole + row * layout_.vPadded);
      values = whole;
    }
    valuesAt_[static_cast<std::size_t>(slot)] = values;
    if (isBackward_ && layout_.transposesValues) {
      transpose(from,
                v,
                context,
                v,
                valuesTransposed_.get() + slot * v * layout_.transposedStride,
                layout_.transposedStride);
    }
    const float* keys = shape_.hasContent ? inputs.keys + image * context * k : nullptr;
    if (layout_.scoresIncludeKeys) {
      transpose(keys,
                k,
                context,
                k,
                keysTransposed_.get() + slot * k * layout_.transposedStride,
                layout_.transposedStride);
    }
    if (!layout_.usesContentLambda) return;
    // lambda_c = kbar^T v [k, v]
    float* content = content_.get() + slot * contentSize();
    product<false>(k,
                   layout_.vPadded,
                   Rows{content, layout_.vPadded},
                   Term{RowInDepth{keys, k}, EvenRows{values, layout_.vPadded}, context});
    if (isBackward_) {
      transpose(content,
                layout_.vPadded,
                k,
                v,
                contentTransposed_.get() + slot * v * layout_.kPadded,
                layout_.kPadded);
    }
  }

  /// Writes what the content lambda gives `rows` queries, q lambda_c in whole vectors, or zeros.
  void writeContentOutputs(Index slot, const float* queries, Index rows, float* outputs) const {
    if (!layout_.usesContentLambda) {
      std::fill_n(outputs, rows * layout_.vPadded, 0.0F);
      return;
    }
    withFixed<16>(layout_.k, [&](auto depth) {
      product<false>(
          rows,
          layout_.vPadded,
          Rows{outputs, layout_.vPadded},
          Term{DepthInRow{queries, depth}, EvenRows{content(slot), layout_.vPadded}, depth});
    });
  }

  /// Starts the gradients of `rows` queries with the content part, dy lambda_c^T in whole vectors,
  /// or with zeros, and adds q^T dy to the gradient of lambda_c; the first block writes it instead.
  /// `wholeDy` is dy in whole vectors.
  void writeContentGradients(Index slot,
                             bool isFirstBlock,
                             const float* queries,
                             const float* dy,
                             const float* wholeDy,
                             Index rows,
                             float* queryGradient) const {
    const Index k = layout_.k, kPadded = layout_.kPadded, vPadded = layout_.vPadded;
    if (!layout_.usesContentLambda) {
      std::fill_n(queryGradient, rows * kPadded, 0.0F);
      return;
    }
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(
          rows,
          kPadded,
          Rows{queryGradient, kPadded},
          Term{DepthInRow{dy, depth}, EvenRows{contentTransposed(slot), kPadded}, depth});
    });
    const Rows gradient{contentGradient(slot), vPadded};
    const Term outer{RowInDepth{queries, k}, EvenRows{wholeDy, vPadded}, rows};
    if (isFirstBlock) {
      product<false>(k, vPadded, gradient, outer);
    } else {
      product<true>(k, vPadded, gradient, outer);
    }
  }

  /// Completes the gradient of an image's values and, where there is a content lambda, writes that
  /// of its keys.
  void finish(const CoreInputs& inputs, const CoreGradients& gradients, Index slot, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    float* gradient = valuesGradient(slot);
    if (layout_.usesContentLambda) {
      product<true>(context,
                    layout_.vPadded,
                    Rows{gradient, layout_.vPadded},
                    Term{DepthInRow{inputs.keys + image * context * k, k},
                         EvenRows{contentGradient(slot), layout_.vPadded},
                         k});
      finishKeys(gradients, slot, image);
    }
    if (!layout_.padsValues()) return;
    float* to = gradients.values + image * context * v;
    for (Index row = 0; row < context; ++row)
      copyRun(gradient + row * layout_.vPadded, v, to + row * v);
  }

  /// [context, v]
  const float* values(Index slot) const { return valuesAt_[static_cast<std::size_t>(slot)]; }

  /// lambda_c [k, v]
  const float* content(Index slot) const { return content_.get() + slot * contentSize(); }

  /// [v, context]; in the backward pass, if the layout wants them.
  const float* valuesTransposed(Index slot) const {
    return valuesTransposed_.get() + slot * layout_.v * layout_.transposedStride;
  }

  /// [v, k]
  const float* contentTransposed(Index slot) const {
    return contentTransposed_.get() + slot * layout_.v * layout_.kPadded;
  }

  /// [k, context]
  const float* keysTransposed(Index slot) const {
    return keysTransposed_.get() + slot * layout_.k * layout_.transposedStride;
  }

  float* valuesGradient(Index slot) const {
    return valuesGradientAt_[static_cast<std::size_t>(slot)];
  }

  float* contentGradient(Index slot) const { return contentGradient_.get() + slot * contentSize(); }

  Index valuesSize() const { return layout_.context * layout_.vPadded; }

  Index contentSize() const { return layout_.k * layout_.vPadded; }

 private:
  /// Writes the gradient of an image's keys, v dlambda_c^T [context, k].
  void finishKeys(const CoreGradients& gradients, Index slot, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    float* content = contentGradientTransposed_.get();
    transpose(contentGradient(slot), layout_.vPadded, k, v, content, layout_.kPadded);
    float* to = gradients.keys + image * context * k;
    product<false>(
        context,
        layout_.kPadded,
        Rows{layout_.padsDepth() ? keyGradient_.get() : to, layout_.kPadded},
        Term{DepthInRow{values(slot), layout_.vPadded}, EvenRows{content, layout_.kPadded}, v});
    for (Index row = 0; row < context && layout_.padsDepth(); ++row)
      copyRun(keyGradient_.get() + row * layout_.kPadded, k, to + row * k);
  }

  const CoreShape& shape_;
  const Layout& layout_;
  bool isBackward_;
  // One entry for each slot.
  std::vector<const float*> valuesAt_;
  std::vector<float*> valuesGradientAt_;
  Buffer values_;
  Buffer content_;
  Buffer valuesTransposed_;
  Buffer contentTransposed_;
  Buffer valuesGradient_;
  Buffer contentGradient_;
  Buffer keysTransposed_;
  // Scratch memory for one image.
  Buffer contentGradientTransposed_;  ///< [v, k]
  Buffer keyGradient_;                ///< [context, k]
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_CONTEXTS_INL_H_
