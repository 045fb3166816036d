#pragma once

// The loops of the lambda core on the CPU: which thread takes which images, blocks of queries and
// groups, and in which order the groups' gradients of the table are added. See the page in
// lambda_core_kernel.h. What happens inside a block is the matter of `Parts`, which has
//
//   Layout    blockCount, imageBlockSize, imagesResident, tableRows, tableRowSize, extraTableRows
//   Shared    what all threads read: Shared(shape, layout, inputs, isBackward, parallelFor)
//   Contexts  of the resident images: Contexts(shape, layout, slots, isBackward), take(), finish()
//   Block     what the images share of a block: Block(shape, layout, shared), take(inputs, index)
//   Core      Core(shape, layout, contexts), forward(), backward()

#include <algorithm>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"

namespace lambda {

/// Successive images whose outputs or gradients of a block are computed in one call.
struct Together {
  std::int64_t slot = 0;   ///< The slot of the first image in the contexts.
  std::int64_t first = 0;  ///< The first image.
  std::int64_t count = 0;  ///< Images.
};

/// How images are divided into groups, by the shape alone, so that sums have one order. Each group
/// has its own gradient of the table. A thread works on several groups together, or on a part of
/// one group, so that their contexts stay in the caches.
struct Groups {
  Groups(std::int64_t images, std::int64_t imagesResident)
      : size(sizeFor(images)),
        count((images + size - 1) / size),
        part(std::min(size, imagesResident)),
        together(std::max<std::int64_t>(1, imagesResident / size)) {}

  static std::int64_t sizeFor(std::int64_t images) {
    constexpr std::int64_t kMost = 16;
    return std::max<std::int64_t>(1, (images + kMost - 1) / kMost);
  }

  std::int64_t size;      ///< Images of a group.
  std::int64_t count;     ///< Groups.
  std::int64_t part;      ///< Images of a group that are worked on together.
  std::int64_t together;  ///< Groups that are worked on together.
};

template <class Parts, class Output>
void forwardInGroups(const CoreShape& shape,
                     const typename Parts::Layout& layout,
                     const CoreInputs& inputs,
                     Output* y,
                     const ParallelFor& parallelFor,
                     const OnImages& prepare) {
  using Index = std::int64_t;
  const typename Parts::Shared shared(shape, layout, inputs, false, parallelFor);
  const Groups groups(shape.images, layout.imagesResident);
  parallelFor(groups.count, [&](Index begin, Index end) {
    if (begin == end) return;
    const Index last = std::min(shape.images, end * groups.size);
    const Index resident = std::min(layout.imagesResident, last - begin * groups.size);
    typename Parts::Contexts contexts(shape, layout, resident, false);
    typename Parts::Core core(shape, layout, contexts);
    typename Parts::Block block(shape, layout, shared);
    for (Index first = begin * groups.size; first < last; first += resident) {
      const Index count = std::min(resident, last - first);
      if (prepare) prepare(first, count);
      for (Index i = 0; i < count; ++i) contexts.take(inputs, i, first + i);
      for (Index index = 0; index < layout.blockCount; ++index) {
        block.take(inputs, index);
        for (Index i = 0; i < count; i += layout.imageBlockSize) {
          const Together images{i, first + i, std::min(layout.imageBlockSize, count - i)};
          core.forward(inputs, block, images, y);
        }
      }
    }
  });
}

template <class Parts, class Output>
void backwardInGroups(const CoreShape& shape,
                      const typename Parts::Layout& layout,
                      const CoreInputs& inputs,
                      const Output* dy,
                      const CoreGradients& gradients,
                      const ParallelFor& parallelFor,
                      const OnImages& finish) {
  using Index = std::int64_t;
  const typename Parts::Shared shared(shape, layout, inputs, true, parallelFor);
  const Groups groups(shape.images, layout.imagesResident);
  const Index tableSize =
      shape.tableRows > 0 ? (layout.tableRows + layout.extraTableRows) * layout.tableRowSize : 0;
  const auto tableGradients = allocateAligned<float>(groups.count * tableSize);
  parallelFor(groups.count, [&](Index begin, Index end) {
    if (begin == end) return;
    std::fill_n(tableGradients.get() + begin * tableSize, (end - begin) * tableSize, 0.0F);
    typename Parts::Contexts contexts(
        shape, layout, std::min(groups.together, end - begin) * groups.part, true);
    typename Parts::Core core(shape, layout, contexts);
    typename Parts::Block block(shape, layout, shared);
    for (Index first = begin; first < end; first += groups.together) {
      const Index last = std::min(end, first + groups.together);
      for (Index part = 0; part < groups.size; part += groups.part) {
        const auto forSlots = [&](Index group, const auto& work) {
          const Index slot = (group - first) * groups.part;
          const Index image = group * groups.size + part;
          const Index endOfGroup = std::min(shape.images, (group + 1) * groups.size);
          const Index count = std::min(groups.part, endOfGroup - image);
          if (count > 0) work(slot, image, count);
        };
        for (Index group = first; group < last; ++group) {
          forSlots(group, [&](Index slot, Index image, Index count) {
            for (Index i = 0; i < count; ++i) contexts.take(inputs, gradients, slot + i, image + i);
          });
        }
        for (Index index = 0; index < layout.blockCount; ++index) {
          block.take(inputs, index);
          for (Index group = first; group < last; ++group) {
            forSlots(group, [&](Index slot, Index image, Index count) {
              for (Index i = 0; i < count; i += layout.imageBlockSize) {
                const Together images{
                    slot + i, image + i, std::min(layout.imageBlockSize, count - i)};
                core.backward(
                    inputs, block, images, dy, gradients, tableGradients.get() + group * tableSize);
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
      for (Index c = 0; c < shape.queryDepth; ++c) {
        float sum = 0;
        for (Index group = 0; group < groups.count; ++group)
          sum += tableGradients.get()[group * tableSize + row * layout.tableRowSize + c];
        gradients.table[row * shape.queryDepth + c] = sum;
      }
    }
  });
}

}  // namespace lambda
