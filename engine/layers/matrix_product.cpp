#include "engine/layers/matrix_product.h"

#include <array>

#include "engine/kernels/products/matrix_products.h"
#include "engine/kernels/products/row_product.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

/// Fewest rows that repay packing the second matrix.
constexpr std::int64_t kFewestRows = 32;

bool isFloat(const at::Tensor& matrix) {
  return matrix.is_cpu() && matrix.scalar_type() == at::kFloat;
}

PackedMatrix packed(const at::Tensor& matrix) {
  if (!matrix.t().is_contiguous()) {
    return PackedMatrix::of(matrix.size(0),
                            matrix.size(1),
                            matrix.contiguous().const_data_ptr<float>(),
                            onTorchThreads);
  }
  return PackedMatrix::ofTransposed(
      matrix.size(0), matrix.size(1), matrix.const_data_ptr<float>(), onTorchThreads);
}

/// A B of dense B and of A whose transpose is dense.
at::Tensor transposedProduct(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
  multiplyTransposed({a.size(1), a.size(0), b.size(1)},
                     a.const_data_ptr<float>(),
                     b.const_data_ptr<float>(),
                     c.mutable_data_ptr<float>(),
                     onTorchThreads);
  return c;
}

/// A B of one dense row and of B whose transpose is dense.
at::Tensor rowProduct(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor c = at::empty({1, b.size(1)}, a.options());
  multiplyRows(std::array{RowProduct{b.size(0),
                                     b.size(1),
                                     a.const_data_ptr<float>(),
                                     b.const_data_ptr<float>(),
                                     c.mutable_data_ptr<float>()}},
               onTorchThreads);
  return c;
}

}  // namespace

at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b) {
  if (isFloat(a) && isFloat(b) && a.size(0) == 1 && a.is_contiguous() && b.t().is_contiguous())
    return rowProduct(a, b);
  const bool isSupported = isFloat(a) && isFloat(b) && b.size(1) % kProductColumns == 0;
  if (!isSupported || !matrixProductsPay()) return a.mm(b);
  if (a.is_contiguous() && a.size(0) >= kFewestRows && a.size(1) % kProductColumns == 0)
    return matrixProduct(a, b, {});
  const bool isTransposed = a.t().is_contiguous() && b.is_contiguous();
  return isTransposed && a.size(0) % kProductColumns == 0 ? transposedProduct(a, b) : a.mm(b);
}

at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b, const ColumnEpilogue& epilogue) {
  at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
  multiplyMatrices(a.size(0),
                   a.const_data_ptr<float>(),
                   packed(b),
                   epilogue,
                   c.mutable_data_ptr<float>(),
                   onTorchThreads);
  return c;
}

}  // namespace lambda
