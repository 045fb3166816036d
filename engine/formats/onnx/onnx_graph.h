#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/formats/tensors/safetensors.h"

namespace lambda {

/// The sizes of a tensor; kBatch stands for the number of images or sequences.
using OnnxShape = std::vector<std::int64_t>;

inline constexpr std::int64_t kBatch = -1;

using OnnxAttribute = std::variant<std::int64_t, float, std::vector<std::int64_t>>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

struct OnnxNode {
  std::string operation;  ///< Of the default operator set, "Conv".
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  OnnxAttributes attributes;
};

/// Element types under their numbers in the format.
enum class OnnxType { float32 = 1, int64 = 7 };

/// A constant. Its bytes belong to the graph or to the file of weights.
struct OnnxConstant {
  std::string name;
  OnnxType type = OnnxType::float32;
  OnnxShape shape;
  std::span<const std::byte> bytes;
};

struct OnnxValue {
  std::string name;
  OnnxShape shape;
  OnnxType type = OnnxType::float32;
};

/// A graph of ONNX in the making. Values are known by their names. The names of nodes and values
/// within a layer begin with the layer's: "stage1.block1.mixer/queries".
class OnnxGraph {
 public:
  /// `weights` must outlive the graph; `place` names them in errors.
  OnnxGraph(const SafeTensors& weights, std::string place);

  /// Begins a layer, to which all that follows belongs.
  void beginLayer(const std::string& name) { layer_ = name; }

  const std::string& layer() const { return layer_; }

  /// Adds a node and returns its output. `part` is its name within the layer.
  std::string add(const std::string& operation,
                  const std::string& part,
                  std::vector<std::string> inputs,
                  OnnxAttributes attributes = {});

  /// As add(), with several outputs.
  std::vector<std::string> addWithOutputs(std::size_t outputs,
                                          const std::string& operation,
                                          const std::string& part,
                                          std::vector<std::string> inputs,
                                          OnnxAttributes attributes = {});

  /// A tensor of the weights as a constant under its own name. Throws Error if it is missing or has
  /// another shape or a type other than float32.
  std::string weight(const std::string& name, const OnnxShape& shape);

  /// Constants; equal ones are stored once. An index may be as large as a window table, so that
  /// layers on maps of one size share theirs.
  std::string constant(std::vector<std::int64_t> values, const OnnxShape& shape);
  std::string constant(std::vector<float> values, const OnnxShape& shape);

  std::string scalar(float value) { return constant(std::vector<float>{value}, {}); }

  /// Gives a value another name, that of a layer, and records its shape. Returns the name.
  std::string nameResult(const std::string& value, const std::string& name, OnnxShape shape);

  void addInput(const std::string& name, OnnxShape shape, OnnxType type = OnnxType::float32) {
    inputs_.push_back({name, std::move(shape), type});
  }

  /// Gives a value the name of an output of the graph.
  void nameOutput(const std::string& value,
                  const std::string& name,
                  OnnxShape shape,
                  OnnxType type = OnnxType::float32);

  const std::vector<OnnxNode>& nodes() const { return nodes_; }

  const std::vector<OnnxConstant>& constants() const { return constants_; }

  const std::vector<OnnxValue>& inputs() const { return inputs_; }

  const std::vector<OnnxValue>& outputs() const { return outputs_; }

  /// The named results with their shapes.
  const std::vector<OnnxValue>& results() const { return results_; }

 private:
  void rename(const std::string& value, const std::string& name);

  template <class Number>
  std::string storedConstant(
      OnnxType type,
      std::vector<Number> values,
      const OnnxShape& shape,
      std::map<std::pair<OnnxShape, std::vector<Number>>, std::string>& kept);
  std::string uniqueName(const std::string& part);

  const SafeTensors& weights_;
  std::string place_;
  std::string layer_;
  std::map<std::string, int> uses_;  // How often a name was asked for.
  std::vector<OnnxNode> nodes_;
  std::vector<OnnxConstant> constants_;
  std::map<std::string, OnnxShape> weightShapes_;
  // The maps own the values of constants, which keep their places in memory.
  std::map<std::pair<OnnxShape, std::vector<std::int64_t>>, std::string> integers_;
  std::map<std::pair<OnnxShape, std::vector<float>>, std::string> floats_;
  std::vector<OnnxValue> inputs_;
  std::vector<OnnxValue> outputs_;
  std::vector<OnnxValue> results_;
};

}  // namespace lambda
