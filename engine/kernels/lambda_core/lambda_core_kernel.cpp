// The loops of the lambda core on the CPU: which thread takes which images, blocks of queries and
// groups, and in which order the groups' gradients of the table are added. See the page in
// lambda_core_kernel.h. What happens inside a block is in core_scores-inl.h and
// core_score_gradients-inl.h (queries first) or in core_lambdas-inl.h (lambdas first). This file is
// compiled once for each instruction set; the last section chooses one at run time.

#include "engine/kernels/lambda_core/lambda_core_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_core/lambda_core_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_core/core_lambdas-inl.h"
#include "engine/kernels/lambda_core/core_score_gradients-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// The forward pass. `Core` is Scores or Lambdas.
template <class Core>
void forwardBy(const CoreShape& shape,
               const Layout& layout,
               const CoreInputs& inputs,
               float* y,
               const ParallelFor& parallelFor,
               const OnImages& prepare) {
  const Embeddings embeddings(shape, layout, inputs.table, false, parallelFor);
  const Windows windows(shape, layout, inputs.tableRowOf, parallelFor);
  const Groups groups(shape.images, layout);
  parallelFor(groups.count, [&](Index begin, Index end) {
    const Index last = std::min(shape.images, end * groups.size);
    const Index resident = std::min(layout.imagesResident, last - begin * groups.size);
    Contexts contexts(shape, layout, resident, false);
    Core core(shape, layout, contexts);
    QueryBlock block(shape, layout, embeddings, windows);
    for (Index first = begin * groups.size; first < last; first += resident) {
      const Index count = std::min(resident, last - first);
      if (prepare) prepare(first, count);
      for (Index i = 0; i < count; ++i) contexts.take(inputs, i, first + i);
      for (Index index = 0; index < layout.blocks.count(); ++index) {
        block.take(inputs, index);
        for (Index i = 0; i < count; i += layout.imageBlockSize) {
          const Together images{i, first + i, std::min(layout.imageBlockSize, count - i)};
          core.forward(inputs, block, images, y);
        }
      }
    }
  });
}

/// The backward pass. `Core` is ScoreGradients or LambdaGradients.
template <class Core>
void backwardBy(const CoreShape& shape,
                const Layout& layout,
                const CoreInputs& inputs,
                const float* dy,
                const CoreGradients& gradients,
                const ParallelFor& parallelFor,
                const OnImages& finish) {
  const Embeddings embeddings(shape, layout, inputs.table, true, parallelFor);
  const Windows windows(shape, layout, inputs.tableRowOf, parallelFor);
  const Groups groups(shape.images, layout);
  const Index tableSize =
      shape.tableRows > 0 ? (layout.tableRows + kOutsideRows) * layout.kPadded : 0;
  const Buffer tableGradients(groups.count * tableSize);
  parallelFor(groups.count, [&](Index begin, Index end) {
    Contexts contexts(shape, layout, std::min(groups.together, end - begin) * groups.part, true);
    Core core(shape, layout, contexts);
    QueryBlock block(shape, layout, embeddings, windows);
    for (Index first = begin; first < end; first += groups.together) {
      const Index last = std::min(end, first + groups.together);
      for (Index part = 0; part < groups.size; part += groups.part) {
        const auto forSlots = [&](Index group, const auto& work) {
          const Index slot = (group - first) * groups.part;
          const Index image = group * groups.size + part;
          const Index endOfGroup = std::min(shape.images, (group + 1) * groups.size);
          work(slot, image, std::min(groups.part, endOfGroup - image));
        };
        for (Index group = first; group < last; ++group) {
          forSlots(group, [&](Index slot, Index image, Index count) {
            for (Index i = 0; i < count; ++i) contexts.take(inputs, gradients, slot + i, image + i);
          });
        }
        for (Index index = 0; index < layout.blocks.count(); ++index) {
          block.take(inputs, index);
          for (Index group = first; group < last; ++group) {
            forSlots(group, [&](Index slot, Index image, Index count) {
              for (Index i = 0; i < count; i += layout.imageBlockSize) {
                const Together images{
                    slot + i, image + i, std::min(layout.imageBlockSize, count - i)};
                core.backward(inputs,
                              block,
                              embeddings,
                              images,
                              dy,
                              gradients,
                              tableGradients.get() + group * tableSize);
              }
            });
          }
        }
        for (Index group = first; group < last; ++group) {
          forSlots(group, [&](Index slot, Index image, Index count) {
            for (Index i = 0; i < count; ++i)
              contexts.finish(inputs, gradients, slot + i, image + i);
            if (finish) finish(image, count);
          });
        }
      }
    }
  });
  if (shape.tableRows == 0) return;
  parallelFor(layout.tableRows, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      for (Index c = 0; c < layout.k; ++c) {
        float sum = 0;
        for (Index group = 0; group < groups.count; ++group)
          sum += tableGradients.get()[group * tableSize + row * layout.kPadded + c];
        gradients.table[row * layout.k + c] = sum;
      }
    }
  });
}

}  // namespace

void forward(const CoreShape& shape,
             const CoreInputs& inputs,
             float* y,
             const ParallelFor& parallelFor,
             const OnImages& prepare) {
  const bool windowed = isLocal(shape, inputs.tableRowOf);
  const bool lambdasFirst = putsLambdasFirst(shape, windowed);
  const Index width = windowed ? widthOfMap(shape, inputs.tableRowOf) : 0;
  const Layout layout(shape, false, lambdasFirst, windowed, width);
  const auto& by = lambdasFirst ? forwardBy<Lambdas> : forwardBy<Scores>;
  by(shape, layout, inputs, y, parallelFor, prepare);
}

void backward(const CoreShape& shape,
              const CoreInputs& inputs,
              const float* dy,
              const CoreGradients& gradients,
              const ParallelFor& parallelFor,
              const OnImages& finish) {
  const bool windowed = isLocal(shape, inputs.tableRowOf);
  const bool lambdasFirst = putsLambdasFirst(shape, windowed);
  const Index width = windowed ? widthOfMap(shape, inputs.tableRowOf) : 0;
  const Layout layout(shape, true, lambdasFirst, windowed, width);
  const auto& by = lambdasFirst ? backwardBy<LambdaGradients> : backwardBy<ScoreGradients>;
  by(shape, layout, inputs, dy, gradients, parallelFor, finish);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(forward);
HWY_EXPORT(backward);

void lambdaCoreForward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       float* y,
                       const ParallelFor& parallelFor,
                       const OnImages& prepare) {
  HWY_DYNAMIC_DISPATCH(forward)(shape, inputs, y, parallelFor, prepare);
}

void lambdaCoreBackward(const CoreShape& shape,
                        const CoreInputs& inputs,
                        const float* dy,
                        const CoreGradients& gradients,
                        const ParallelFor& parallelFor,
                        const OnImages& finish) {
  HWY_DYNAMIC_DISPATCH(backward)(shape, inputs, dy, gradients, parallelFor, finish);
}

}  // namespace lambda
#endif
