#include "engine/formats/onnx/onnx_messages.h"

#include <limits>
#include <type_traits>

#include <protozero/pbf_builder.hpp>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

// The fields of onnx.proto that are written, under their names and numbers there.

enum class Model : protozero::pbf_tag_type {
  irVersion = 1,
  producerName = 2,
  producerVersion = 3,
  graph = 7,
  opsetImport = 8,
  metadataProps = 14
};

enum class Opset : protozero::pbf_tag_type { domain = 1, version = 2 };

enum class Entry : protozero::pbf_tag_type { key = 1, value = 2 };

enum class Graph : protozero::pbf_tag_type {
  node = 1,
  name = 2,
  initializer = 5,
  input = 11,
  output = 12,
  valueInfo = 13
};

enum class Node : protozero::pbf_tag_type {
  input = 1,
  output = 2,
  name = 3,
  opType = 4,
  attribute = 5
};

enum class Attribute : protozero::pbf_tag_type { name = 1, f = 2, i = 3, ints = 8, type = 20 };

enum class AttributeType { f = 1, i = 2, ints = 7 };

enum class Tensor : protozero::pbf_tag_type { dims = 1, dataType = 2, name = 8, rawData = 9 };

enum class ValueInfo : protozero::pbf_tag_type { name = 1, type = 2 };

enum class Type : protozero::pbf_tag_type { tensorType = 1 };

enum class TensorType : protozero::pbf_tag_type { elemType = 1, shape = 2 };

enum class Shape : protozero::pbf_tag_type { dim = 1 };

enum class Dimension : protozero::pbf_tag_type { dimValue = 1, dimParam = 2 };

template <class Message>
using Builder = protozero::pbf_builder<Message>;

void write(Builder<Node>& node, const std::string& name, const OnnxAttribute& value) {
  Builder<Attribute> message(node, Node::attribute);
  message.add_string(Attribute::name, name);
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        AttributeType type = AttributeType::ints;
        if constexpr (std::is_same_v<Held, float>) {
          message.add_float(Attribute::f, held);
          type = AttributeType::f;
        } else if constexpr (std::is_same_v<Held, std::int64_t>) {
          message.add_int64(Attribute::i, held);
          type = AttributeType::i;
        } else {
          for (const std::int64_t each : held) message.add_int64(Attribute::ints, each);
        }
        message.add_enum(Attribute::type, static_cast<int>(type));
      },
      value);
}

void write(Builder<Graph>& graph, const OnnxNode& node) {
  Builder<Node> message(graph, Graph::node);
  for (const std::string& input : node.inputs) message.add_string(Node::input, input);
  for (const std::string& output : node.outputs) message.add_string(Node::output, output);
  message.add_string(Node::name, node.name);
  message.add_string(Node::opType, node.operation);
  for (const auto& [name, value] : node.attributes) write(message, name, value);
}

void write(Builder<Graph>& graph, const OnnxConstant& constant) {
  Builder<Tensor> message(graph, Graph::initializer);
  for (const std::int64_t size : constant.shape) message.add_int64(Tensor::dims, size);
  message.add_int32(Tensor::dataType, static_cast<int>(constant.type));
  message.add_string(Tensor::name, constant.name);
  message.add_bytes(
      Tensor::rawData, reinterpret_cast<const char*>(constant.bytes.data()), constant.bytes.size());
}

void write(Builder<Graph>& graph, Graph field, const OnnxValue& value) {
  Builder<ValueInfo> message(graph, field);
  message.add_string(ValueInfo::name, value.name);
  Builder<Type> type(message, ValueInfo::type);
  Builder<TensorType> tensor(type, Type::tensorType);
  tensor.add_int32(TensorType::elemType, static_cast<int>(value.type));
  Builder<Shape> shape(tensor, TensorType::shape);
  for (const std::int64_t size : value.shape) {
    Builder<Dimension> dimension(shape, Shape::dim);
    if (size == kBatch) {
      dimension.add_string(Dimension::dimParam, "N");
    } else {
      dimension.add_int64(Dimension::dimValue, size);
    }
  }
}

void requireWritable(const OnnxGraph& graph) {
  // Names and nodes take far less than what is left below 2 GB.
  constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int32_t>::max() - (64U << 20);
  std::uint64_t bytes = 0;
  for (const OnnxConstant& constant : graph.constants()) bytes += constant.bytes.size();
  if (bytes <= kMostBytes) return;
  throw Error("ONNX",
              "the weights have " + std::to_string(bytes) +
                  " bytes, but a file of this format holds at most 2 GB",
              "Export them as safetensors.");
}

}  // namespace

std::string encodeOnnxModel(const OnnxGraph& graph,
                            const std::string& graphName,
                            const std::string& producerVersion,
                            const std::map<std::string, std::string>& metadata) {
  requireWritable(graph);
  std::string bytes;
  Builder<Model> model(bytes);
  model.add_int64(Model::irVersion, kOnnxIrVersion);
  model.add_string(Model::producerName, "Lambda Studio");
  model.add_string(Model::producerVersion, producerVersion);
  {
    Builder<Opset> operators(model, Model::opsetImport);
    operators.add_string(Opset::domain, "");
    operators.add_int64(Opset::version, kOnnxOperators);
  }
  {
    Builder<Graph> message(model, Model::graph);
    message.add_string(Graph::name, graphName);
    for (const OnnxNode& node : graph.nodes()) write(message, node);
    for (const OnnxConstant& constant : graph.constants()) write(message, constant);
    for (const OnnxValue& value : graph.inputs()) write(message, Graph::input, value);
    for (const OnnxValue& value : graph.outputs()) write(message, Graph::output, value);
    for (const OnnxValue& value : graph.results()) write(message, Graph::valueInfo, value);
  }
  for (const auto& [key, value] : metadata) {
    Builder<Entry> entry(model, Model::metadataProps);
    entry.add_string(Entry::key, key);
    entry.add_string(Entry::value, value);
  }
  return bytes;
}

}  // namespace lambda
