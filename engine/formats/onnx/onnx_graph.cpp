#include "engine/formats/onnx/onnx_graph.h"

#include <algorithm>
#include <utility>

#include "engine/runtime/error.h"

namespace lambda {

OnnxGraph::OnnxGraph(const SafeTensors& weights, std::string place)
    : weights_(weights), place_(std::move(place)) {}

std::string OnnxGraph::uniqueName(const std::string& part) {
  const std::string name = layer_.empty() ? part : layer_ + "/" + part;
  const int earlier = uses_[name]++;
  return earlier == 0 ? name : name + "." + std::to_string(earlier + 1);
}

std::string OnnxGraph::add(const std::string& operation,
                           const std::string& part,
                           std::vector<std::string> inputs,
                           OnnxAttributes attributes) {
  return addWithOutputs(1, operation, part, std::move(inputs), std::move(attributes)).front();
}

std::vector<std::string> OnnxGraph::addWithOutputs(std::size_t outputs,
                                                   const std::string& operation,
                                                   const std::string& part,
                                                   std::vector<std::string> inputs,
                                                   OnnxAttributes attributes) {
  OnnxNode node{.operation = operation,
                .name = uniqueName(part),
                .inputs = std::move(inputs),
                .outputs = {},
                .attributes = std::move(attributes)};
  for (std::size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back(outputs == 1 ? node.name : node.name + ":" + std::to_string(i));
  }
  nodes_.push_back(std::move(node));
  return nodes_.back().outputs;
}

std::string OnnxGraph::weight(const std::string& name, const OnnxShape& shape) {
  const TensorView* tensor = weights_.find(name);
  if (tensor == nullptr) {
    throw Error(
        place_, "tensor " + name + " is missing", "the weights belong to another architecture");
  }
  if (tensor->shape != shape || tensor->dtype != DType::F32) {
    throw Error(place_,
                "tensor " + name + " is " + std::string(dtypeName(tensor->dtype)) + " " +
                    shapeText(tensor->shape) + ", expected F32 " + shapeText(shape),
                "the weights belong to another architecture");
  }
  if (weightShapes_.try_emplace(name, shape).second) {
    constants_.push_back({name, OnnxType::float32, shape, tensor->bytes});
  }
  return name;
}

template <class Number>
std::string OnnxGraph::storedConstant(
    OnnxType type,
    std::vector<Number> values,
    const OnnxShape& shape,
    std::map<std::pair<OnnxShape, std::vector<Number>>, std::string>& kept) {
  const auto [found, isNew] = kept.try_emplace({shape, std::move(values)});
  if (isNew) {
    const char* kind = type == OnnxType::int64 ? "integers" : "floats";
    found->second = kind + std::to_string(kept.size());
    constants_.push_back(
        {found->second, type, shape, std::as_bytes(std::span(found->first.second))});
  }
  return found->second;
}

std::string OnnxGraph::constant(std::vector<std::int64_t> values, const OnnxShape& shape) {
  return storedConstant(OnnxType::int64, std::move(values), shape, integers_);
}

std::string OnnxGraph::constant(std::vector<float> values, const OnnxShape& shape) {
  return storedConstant(OnnxType::float32, std::move(values), shape, floats_);
}

void OnnxGraph::rename(const std::string& value, const std::string& name) {
  for (OnnxNode& node : nodes_) {
    std::ranges::replace(node.inputs, value, name);
    std::ranges::replace(node.outputs, value, name);
  }
}

std::string OnnxGraph::nameResult(const std::string& value,
                                  const std::string& name,
                                  OnnxShape shape) {
  rename(value, name);
  results_.push_back({name, std::move(shape)});
  return name;
}

void OnnxGraph::nameOutput(const std::string& value,
                           const std::string& name,
                           OnnxShape shape,
                           OnnxType type) {
  rename(value, name);
  outputs_.push_back({name, std::move(shape), type});
}

}  // namespace lambda
