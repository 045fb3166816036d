#include "engine/layers/lambda/layer_tensors.h"

#include "engine/layers/element_of.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/norm/norm_moments.h"

namespace lambda {

LayerTensors::LayerTensors(std::vector<at::Tensor> tensors,
                           std::int64_t heads,
                           std::int64_t intraDepth,
                           const std::optional<LocalWindow>& window,
                           bool isPooled)
    : tensors_(std::move(tensors)),
      heads_(heads),
      intraDepth_(intraDepth),
      window_(window),
      isPooled_(isPooled) {}

OperandsShape LayerTensors::operandsShape() const {
  const at::Tensor& x = tensors_[kX];
  const auto columns = [&](Input weight) {
    return tensors_[weight].defined() ? tensors_[weight].size(0) : 0;
  };
  return {x.size(0),
          x.size(2) * x.size(3),
          x.size(1),
          columns(kQueryWeight),
          columns(kValueWeight),
          columns(kKeyWeight),
          elementOf(x)};
}

CoreShape LayerTensors::coreShape() const {
  const OperandsShape operands = operandsShape();
  CoreShape shape;
  shape.images = operands.images;
  shape.queries = shape.positions = operands.positions;
  shape.intraDepth = intraDepth_;
  shape.heads = heads_;
  shape.queryDepth = operands.queryColumns / heads_;
  shape.valueDepth = operands.valueColumns / intraDepth_;
  shape.tableRows = tensors_[kTable].defined() ? tensors_[kTable].size(0) : 0;
  shape.hasContent = operands.keyColumns > 0;
  shape.window = window_;
  if (!isPooled_) return shape;
  shape.pooling = OutputPooling{tensors_[kX].size(2), tensors_[kX].size(3)};
  if (!takesMeans(shape, coreInputs().tableRowOf, operands.element == Element::bfloat16))
    shape.pooling.reset();
  return shape;
}

OperandData<const float> LayerTensors::weights() const {
  return {data(kQueryWeight), data(kValueWeight), data(kKeyWeight)};
}

OperandNorms LayerTensors::norms() const {
  const auto norm = [&](Saved mean, Saved inverse, Input scale, Input shift) -> OperandNorm {
    if (!tensors_[mean].defined()) return {};
    return {NormMoments{tensors_[mean], tensors_[inverse]}.data(),
            affineOf(tensors_[scale], tensors_[shift])};
  };
  return {norm(kQueryMean, kQueryInverse, kQueryScale, kQueryShift),
          norm(kValueMean, kValueInverse, kValueScale, kValueShift)};
}

CoreInputs LayerTensors::coreInputs() const {
  const at::Tensor& rows = tensors_[kTableRows];
  return {nullptr,
          data(kKeys),
          nullptr,
          data(kTable),
          rows.defined() ? rows.const_data_ptr<std::int32_t>() : nullptr};
}

}  // namespace lambda
