#pragma once

// The loops of the lambda core on the CPU: which thread takes which images, blocks of queries and
// groups, and in which order the groups' gradients of the table are added. See the page in
// lambda_core_kernel.h. What happens inside a block is the matter of `Parts`, which has
//
//   Layout    blockCount, blockBytes, imageBlockSize, imagesResident, tableRows, tableRowSize,
//             extraTableRows
//   Shared    what all threads read: Shared(shape, layout, inputs, isBackward, parallelFor)
//   Contexts  of the images that a thread works on together: Contexts(shape, layout, mostImages,
//             isBackward), take(), finish()
//   Block     what the images share of a block: Block(shape, layout, shared), take(inputs, index),
//             index, which is negative before the first take()
//   Core      Core(shape, layout, contexts), forward(), backward()

#include <algorithm>
#include <vector>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"

namespace lambda {

/// Successive images whose outputs or gradients of a block are computed in one call.
struct Together {
  std::int64_t first = 0;  ///< The first image, among those that the thread works on together.
  std::int64_t count = 0;  ///< Images.
  std::int64_t all = 0;    ///< All images that the thread works on together.
};

/// How images are divided into groups, by the shape alone, so that sums have one order. Each group
/// has its own gradient of the table. A thread works on several groups together, or on a part of
/// one group, so that their operands stay in the caches.
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

/// The inputs of the images that a thread works on together. Their first image is image 0 there, as
/// in the gradients and outputs that go with them.
class ResidentInputs {
 public:
  ResidentInputs(const CoreShape& shape,
                 const CoreInputs& all,
                 std::int64_t mostImages,
                 const MakeOperands& make)
      : shape_(shape),
        all_(all),
        make_(make),
        queries_(allocateAligned<float>(make ? mostImages * queriesSize() : 0)),
        values_(allocateAligned<float>(make ? mostImages * valuesSize() : 0)) {}

  CoreInputs of(std::int64_t first, std::int64_t count) {
    CoreInputs inputs = all_;
    if (inputs.keys) inputs.keys += first * keysSize();
    if (make_) {
      make_(first, count, queries_.get(), values_.get());
      inputs.queries = queries_.get();
      inputs.values = values_.get();
    } else {
      inputs.queries += first * queriesSize();
      inputs.values += first * valuesSize();
    }
    return inputs;
  }

  CoreGradients gradientsOf(std::int64_t first, const CoreGradients& all) const {
    CoreGradients gradients = all;
    gradients.queries += first * queriesSize();
    gradients.values += first * valuesSize();
    if (gradients.keys) gradients.keys += first * keysSize();
    return gradients;
  }

  /// Numbers of an image's output.
  std::int64_t outputSize() const { return shape_.outputs() * shape_.heads * shape_.valueDepth; }

 private:
  std::int64_t queriesSize() const { return shape_.queries * shape_.heads * shape_.queryDepth; }

  std::int64_t keysSize() const { return shape_.contextRows() * shape_.queryDepth; }

  std::int64_t valuesSize() const { return shape_.contextRows() * shape_.valueDepth; }

  const CoreShape& shape_;
  const CoreInputs& all_;
  const MakeOperands& make_;
  hwy::AlignedFreeUniquePtr<float[]> queries_, values_;
};

/// Whether all blocks of queries are so small that a thread keeps them for its next images.
template <class Layout>
bool keepsBlocks(const Layout& layout) {
  constexpr std::int64_t kMostBytes = 512 << 10;
  return layout.blockCount * layout.blockBytes <= kMostBytes;
}

/// The blocks of queries as a thread reads them: all of them if they are kept, otherwise one that
/// is filled again each time.
template <class Parts>
class Blocks {
 public:
  using Block = typename Parts::Block;
  using Index = std::int64_t;

  Blocks(const CoreShape& shape,
         const typename Parts::Layout& layout,
         const typename Parts::Shared& shared,
         const CoreInputs& inputs,
         bool hasNextImages)
      : inputs_(inputs), keepsAll_(hasNextImages && keepsBlocks(layout)) {
    const Index count = keepsAll_ ? layout.blockCount : 1;
    blocks_.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) blocks_.emplace_back(shape, layout, shared);
  }

  /// Valid until the next call.
  const Block& take(Index index) {
    Block& block = blocks_[static_cast<std::size_t>(keepsAll_ ? index : 0)];
    if (block.index != index) block.take(inputs_, index);
    return block;
  }

 private:
  const CoreInputs& inputs_;
  bool keepsAll_;
  std::vector<Block> blocks_;
};

template <class Parts, class Output>
void forwardInGroups(const CoreShape& shape,
                     const typename Parts::Layout& layout,
                     const CoreInputs& inputs,
                     Output* y,
                     const ParallelFor& parallelFor,
                     const MakeOperands& make) {
  using Index = std::int64_t;
  const typename Parts::Shared shared(shape, layout, inputs, false, parallelFor);
  const Groups groups(shape.images, layout.imagesResident);
  parallelFor(groups.count, [&](Index begin, Index end) {
    if (begin == end) return;
    const Index last = std::min(shape.images, end * groups.size);
    const Index most = std::min(layout.imagesResident, last - begin * groups.size);
    ResidentInputs resident(shape, inputs, most, make);
    typename Parts::Contexts contexts(shape, layout, most, false);
    typename Parts::Core core(shape, layout, contexts);
    Blocks<Parts> blocks(shape, layout, shared, inputs, last - begin * groups.size > most);
    for (Index first = begin * groups.size; first < last; first += most) {
      const Index count = std::min(most, last - first);
      const CoreInputs present = resident.of(first, count);
      for (Index i = 0; i < count; ++i) contexts.take(present, i);
      for (Index index = 0; index < layout.blockCount; ++index) {
        const auto& block = blocks.take(index);
        for (Index i = 0; i < count; i += layout.imageBlockSize) {
          const Together images{i, std::min(layout.imageBlockSize, count - i), count};
          core.forward(present, block, images, y + first * resident.outputSize());
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
                      const MakeOperands& make,
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
    const Index most = std::min(groups.together, end - begin) * groups.part;
    ResidentInputs resident(shape, inputs, most, make);
    typename Parts::Contexts contexts(shape, layout, most, true);
    typename Parts::Core core(shape, layout, contexts);
    Blocks<Parts> blocks(shape, layout, shared, inputs, (end - begin) * groups.size > most);
    for (Index group = begin; group < end; group += groups.together) {
      const Index last =
          std::min(shape.images, std::min(end, group + groups.together) * groups.size);
      // Whole groups, or a part of one, at a time.
      for (Index first = group * groups.size; first < last; first += most) {
        const Index count = std::min(most, last - first);
        const CoreInputs present = resident.of(first, count);
        const CoreGradients targets = resident.gradientsOf(first, gradients);
        const Output* gradient = dy + first * resident.outputSize();
        for (Index i = 0; i < count; ++i) contexts.take(present, targets, i);
        for (Index index = 0; index < layout.blockCount; ++index) {
          const auto& block = blocks.take(index);
          for (Index i = 0; i < count;) {
            const Index ofGroup = (first + i) / groups.size;
            const Index endOfGroup = std::min(count, (ofGroup + 1) * groups.size - first);
            const Together images{i, std::min(layout.imageBlockSize, endOfGroup - i), count};
            core.backward(present,
                          block,
                          images,
                          gradient,
                          targets,
                          tableGradients.get() + ofGroup * tableSize);
            i += images.count;
          }
        }
        for (Index i = 0; i < count; ++i) contexts.finish(present, targets, i);
        if (finish) finish(first, count);
      }
    }
  });
  if (shape.tableRows == 0) return;
  parallelFor(layout.tableRows, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      float* sum = gradients.table + row * shape.queryDepth;
      std::fill_n(sum, shape.queryDepth, 0.0F);
      for (Index group = 0; group < groups.count; ++group) {
        const float* ofGroup = tableGradients.get() + group * tableSize + row * layout.tableRowSize;
        for (Index c = 0; c < shape.queryDepth; ++c) sum[c] += ofGroup[c];
      }
    }
  });
}

}  // namespace lambda
