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

/// The contexts of the images that a thread works on together: the values in whole vectors, and the
/// content lambda or, where the scores include the keys, the keys transposed. The backward pass
/// also has the content lambda transposed and, if the layout wants them, the values. Where v is
/// whole vectors, the caller's memory is used for the values and their gradients.
class Contexts {
 public:
  Contexts(const CoreShape& shape, const Layout& layout, Index images, bool isBackward)
      : shape_(shape),
        layout_(layout),
        isBackward_(isBackward),
        valuesAt_(static_cast<std::size_t>(images)),
        valuesGradientAt_(static_cast<std::size_t>(isBackward ? images : 0)),
        values_(layout_.padsValues() ? images * valuesSize() : 0),
        content_(layout.usesContentLambda ? images * contentSize() : 0),
        valuesTransposed_(isBackward && layout.transposesValues
                              ? images * layout.v * layout.transposedStride
                              : 0),
        contentTransposed_(
            isBackward && layout.usesContentLambda ? images * layout.v * layout.kPadded : 0),
        valuesGradient_(isBackward && layout_.padsValues() ? images * valuesSize() : 0),
        contentGradient_(isBackward && layout.usesContentLambda ? images * contentSize() : 0),
        keysTransposed_(layout.scoresIncludeKeys ? images * layout.k * layout.transposedStride : 0),
        contentGradientTransposed_(
            isBackward && layout.usesContentLambda ? layout.v * layout.kPadded : 0),
        keyGradient_(isBackward && layout.usesContentLambda && layout_.padsDepth()
                         ? layout.context * layout.kPadded
                         : 0) {}

  /// Takes the context of an image for the backward pass, and chooses where the gradient of the
  /// values is summed.
  void take(const CoreInputs& inputs, const CoreGradients& gradients, Index image) {
    valuesGradientAt_[static_cast<std::size_t>(image)] =
        layout_.padsValues() ? valuesGradient_.get() + image * valuesSize()
                             : gradients.values + image * valuesSize();
    take(inputs, image);
  }

  /// Takes the context of an image.
  void take(const CoreInputs& inputs, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    const float* from = inputs.values + image * context * v;
    const float* values = from;
    if (layout_.padsValues()) {
      float* whole = values_.get() + image * valuesSize();
      for (Index row = 0; row < context; ++row)
        copyRun(from + row * v, v, whole + row * layout_.vPadded);
      values = whole;
    }
    valuesAt_[static_cast<std::size_t>(image)] = values;
    if (isBackward_ && layout_.transposesValues) {
      transpose(from,
                v,
                context,
                v,
                valuesTransposed_.get() + image * v * layout_.transposedStride,
                layout_.transposedStride);
    }
    const float* keys = shape_.hasContent ? inputs.keys + image * context * k : nullptr;
    if (layout_.scoresIncludeKeys) {
      transpose(keys,
                k,
                context,
                k,
                keysTransposed_.get() + image * k * layout_.transposedStride,
                layout_.transposedStride);
    }
    if (!layout_.usesContentLambda) return;
    // lambda_c = kbar^T v [k, v]
    float* content = content_.get() + image * contentSize();
    product<false>(k,
                   layout_.vPadded,
                   Rows{content, layout_.vPadded},
                   Term{RowInDepth{keys, k}, EvenRows{values, layout_.vPadded}, context});
    if (isBackward_) {
      transpose(content,
                layout_.vPadded,
                k,
                v,
                contentTransposed_.get() + image * v * layout_.kPadded,
                layout_.kPadded);
    }
  }

  /// Writes what the content lambda gives `rows` queries, q lambda_c in whole vectors, or zeros.
  void writeContentOutputs(Index image, const float* queries, Index rows, float* outputs) const {
    if (!layout_.usesContentLambda) {
      std::fill_n(outputs, rows * layout_.vPadded, 0.0F);
      return;
    }
    withFixed<16>(layout_.k, [&](auto depth) {
      product<false>(
          rows,
          layout_.vPadded,
          Rows{outputs, layout_.vPadded},
          Term{DepthInRow{queries, depth}, EvenRows{content(image), layout_.vPadded}, depth});
    });
  }

  /// Starts the gradients of `rows` queries with the content part, dy lambda_c^T in whole vectors,
  /// or with zeros, and adds q^T dy to the gradient of lambda_c; the first block writes it instead.
  /// `wholeDy` is dy in whole vectors; `queryGradient` is Rows or ScatteredRows.
  template <class C>
  void writeContentGradients(Index image,
                             bool isFirstBlock,
                             const float* queries,
                             const float* dy,
                             const float* wholeDy,
                             Index rows,
                             const C& queryGradient) const {
    const Index k = layout_.k, kPadded = layout_.kPadded, vPadded = layout_.vPadded;
    if (!layout_.usesContentLambda) {
      for (Index row = 0; row < rows; ++row) std::fill_n(queryGradient.row(row), kPadded, 0.0F);
      return;
    }
    withFixed<16, 32, 64>(layout_.v, [&](auto depth) {
      product<false>(
          rows,
          kPadded,
          queryGradient,
          Term{DepthInRow{dy, depth}, EvenRows{contentTransposed(image), kPadded}, depth});
    });
    const Rows gradient{contentGradient(image), vPadded};
    const Term outer{RowInDepth{queries, k}, EvenRows{wholeDy, vPadded}, rows};
    if (isFirstBlock) {
      product<false>(k, vPadded, gradient, outer);
    } else {
      product<true>(k, vPadded, gradient, outer);
    }
  }

  /// Completes the gradient of an image's values and, where there is a content lambda, writes that
  /// of its keys.
  void finish(const CoreInputs& inputs, const CoreGradients& gradients, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    float* gradient = valuesGradient(image);
    if (layout_.usesContentLambda) {
      product<true>(context,
                    layout_.vPadded,
                    Rows{gradient, layout_.vPadded},
                    Term{DepthInRow{inputs.keys + image * context * k, k},
                         EvenRows{contentGradient(image), layout_.vPadded},
                         k});
      finishKeys(gradients, image);
    }
    if (!layout_.padsValues()) return;
    float* to = gradients.values + image * context * v;
    for (Index row = 0; row < context; ++row)
      copyRun(gradient + row * layout_.vPadded, v, to + row * v);
  }

  /// [context, v]
  const float* values(Index image) const { return valuesAt_[static_cast<std::size_t>(image)]; }

  /// lambda_c [k, v]
  const float* content(Index image) const { return content_.get() + image * contentSize(); }

  /// [v, context]; in the backward pass, if the layout wants them.
  const float* valuesTransposed(Index image) const {
    return valuesTransposed_.get() + image * layout_.v * layout_.transposedStride;
  }

  /// [v, k]
  const float* contentTransposed(Index image) const {
    return contentTransposed_.get() + image * layout_.v * layout_.kPadded;
  }

  /// [k, context]
  const float* keysTransposed(Index image) const {
    return keysTransposed_.get() + image * layout_.k * layout_.transposedStride;
  }

  float* valuesGradient(Index image) const {
    return valuesGradientAt_[static_cast<std::size_t>(image)];
  }

  float* contentGradient(Index image) const {
    return contentGradient_.get() + image * contentSize();
  }

  Index valuesSize() const { return layout_.context * layout_.vPadded; }

  Index contentSize() const { return layout_.k * layout_.vPadded; }

 private:
  /// Writes the gradient of an image's keys, v dlambda_c^T [context, k].
  void finishKeys(const CoreGradients& gradients, Index image) {
    const Index k = layout_.k, v = layout_.v, context = layout_.context;
    float* content = contentGradientTransposed_.get();
    transpose(contentGradient(image), layout_.vPadded, k, v, content, layout_.kPadded);
    float* to = gradients.keys + image * context * k;
    product<false>(
        context,
        layout_.kPadded,
        Rows{layout_.padsDepth() ? keyGradient_.get() : to, layout_.kPadded},
        Term{DepthInRow{values(image), layout_.vPadded}, EvenRows{content, layout_.kPadded}, v});
    for (Index row = 0; row < context && layout_.padsDepth(); ++row)
      copyRun(keyGradient_.get() + row * layout_.kPadded, k, to + row * k);
  }

  const CoreShape& shape_;
  const Layout& layout_;
  bool isBackward_;
  // One entry for each image.
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
