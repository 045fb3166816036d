#pragma once

// The operands of the lambda core (../lambda_core/lambda_core_kernel.h) from the input of a lambda
// layer: three projections, two batch norms and the softmax of the keys, LambdaNetworks (Bello,
// ICLR 2021, section 3.2 and figure 3).
//
//   x [p, d]   the pixels of all images, p = b m        W = (Wq, Wv, Wk) [c, d]   weights
//   z = x W^T [p, c], in columns: z = (zq, zv, zk)
//   q = norm(zq) [p, h k]    v = norm(zv) [p, u v]      kbar = softmax(zk) [p, u k]
//
// The norms are those of each column over all pixels; the softmax is that of each column over the
// pixels of an image. Taken one by one, the three products, the norms and the softmax pass over x
// and z ten times and more. Here one pass over x makes all of z and the moments of the norms. The
// operands of an image are made by the thread that multiplies them next, so that the core finds
// them in the cache. Queries and values are not kept: the backward pass makes them from z again. In
// the backward pass that thread also takes the sums of their gradients, which the norms and the
// softmax need. Then, for some rows at a time, dz is made in the cache and multiplied
// at once:
//
//   dzq, dzv   by the backward formula of batch norm (Ioffe and Szegedy, 2015, section 3)
//   dzk = kbar (dkbar - sum_m kbar dkbar)               dx = dz W [p, d]       dW = dz^T x [c, d]
//
// so that dz is never written to memory. The columns of q, v and k are each padded to whole vectors
// in z and W. Arithmetic is in float32, sums over all pixels are in double. If x is bfloat16 and
// the CPU multiplies that (products/bfloat16_products.h), W and dz are rounded to it. The same
// inputs give the same bits with any number of threads: rows are summed by images, chunks and
// groups that depend on the shape alone, and these are added in their order.

#include <cstdint>
#include <vector>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/batch_norm/batch_norm_kernel.h"
#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

struct OperandsShape {
  std::int64_t images = 0;
  std::int64_t positions = 0;          ///< Pixels of an image.
  std::int64_t inputDepth = 0;         ///< d, a multiple of kOperandsDepth.
  std::int64_t queryColumns = 0;       ///< h k
  std::int64_t valueColumns = 0;       ///< u v
  std::int64_t keyColumns = 0;         ///< u k; 0 = no keys.
  Element element = Element::float32;  ///< Type of x and its gradient.
};

/// The input depth must be a multiple of this number of channels.
inline constexpr std::int64_t kOperandsDepth = 16;

/// The columns of z for this many columns of an operand: as many, padded to whole vectors.
constexpr std::int64_t paddedColumns(std::int64_t columns) {
  return (columns + 15) / 16 * 16;
}

/// c, all columns of z: those of queries, values and keys in this order, each padded.
constexpr std::int64_t columnsOf(const OperandsShape& shape) {
  return paddedColumns(shape.queryColumns) + paddedColumns(shape.valueColumns) +
         paddedColumns(shape.keyColumns);
}

/// Values of queries, values and keys; those of the keys are null where there are none.
template <class T>
struct OperandData {
  T* queries = nullptr;
  T* values = nullptr;
  T* keys = nullptr;
};

/// A norm of queries or values. Without moments, there is no norm.
struct OperandNorm {
  BatchNormMoments moments;
  BatchNormAffine affine;
};

struct OperandNorms {
  OperandNorm queries;
  OperandNorm values;
};

/// The ChannelScale (../batch_norm/channel_moments.h) of each column of z, padding included.
/// Columns without a norm stay as they are.
struct ColumnScales {
  ColumnScales(const OperandsShape& shape, const OperandNorms& norms);

  std::vector<float> mean, scale, shift;  ///< [c]
};

/// Targets for the gradients. They are written, not added to. Null = not wanted; of the weights,
/// either those of all operands are wanted or none.
struct OperandGradients {
  void* x = nullptr;            ///< [p, d]
  OperandData<float> weights;   ///< [h k, d], [u v, d], [u k, d]
  float* queryScale = nullptr;  ///< [h k], as the next; null without a norm.
  float* queryShift = nullptr;
  float* valueScale = nullptr;  ///< [u v]
  float* valueShift = nullptr;
};

/// Targets for the moments of the columns of z, padding included, [columnsOf(shape)]. Null = not
/// wanted.
struct ColumnMoments {
  double* mean = nullptr;
  double* variance = nullptr;  ///< Biased: divided by p.
};

/// Writes z [p, columnsOf(shape)] from x [p, d] and the weights [h k, d], [u v, d], [u k, d].
void projectOperands(const OperandsShape& shape,
                     const void* x,
                     const OperandData<const float>& weights,
                     float* z,
                     const ColumnMoments& moments,
                     const ParallelFor& parallelFor);

/// Writes the operands q [h k], v [u v] and kbar [u k] of each pixel of images [first, first +
/// count) from z, on the calling thread. The targets are those of these images; that of kbar is
/// null where it is not wanted.
void normalizeOperands(const OperandsShape& shape,
                       const float* z,
                       const ColumnScales& scales,
                       const OperandData<float>& operands,
                       std::int64_t first,
                       std::int64_t count);

/// Sums over the pixels of each image that the backward pass needs, [b, c] each.
struct OperandSums {
  explicit OperandSums(const OperandsShape& shape);

  hwy::AlignedFreeUniquePtr<double[]> gradients;  ///< dy of queries and values, 0 for keys.
  hwy::AlignedFreeUniquePtr<double[]>
      products;  ///< dy (z - mean) of queries and values, kbar dkbar of keys.
};

/// Writes the sums of images [first, first + count), on the calling thread. `keys` is kbar.
void sumOperandGradients(const OperandsShape& shape,
                         const float* z,
                         const ColumnScales& scales,
                         const float* keys,
                         const OperandData<const float>& dOperands,
                         std::int64_t first,
                         std::int64_t count,
                         OperandSums& sums);

/// Writes the gradients that follow from those of the operands and their sums over all images.
/// `keys` is kbar. `isTraining`: the moments of the norms are those of z and depend on it;
/// otherwise they are constants.
void operandGradients(const OperandsShape& shape,
                      const void* x,
                      const OperandData<const float>& weights,
                      const float* z,
                      const float* keys,
                      const OperandNorms& norms,
                      bool isTraining,
                      const OperandData<const float>& dOperands,
                      const OperandSums& sums,
                      const OperandGradients& gradients,
                      const ParallelFor& parallelFor);

}  // namespace lambda
