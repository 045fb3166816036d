#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/formats/onnx/layer_writer.h"
#include "engine/values/architecture/mixer.h"

namespace lambda {

/// What the graph of one step keeps of the tokens before: for each state an input NAME, which
/// begins with zeros, and an output NAME.next, which is the input of the next step. A layer's
/// states have names that begin with the layer's.
class StepState {
 public:
  explicit StepState(LayerWriter& writer) : writer_(writer) {}

  /// A state of the graph's layer before the step, of a shape [N, ..].
  std::string before(const std::string& name, const OnnxShape& shape);

  /// Keeps a value as the state of that name.
  void keep(const std::string& name, const std::string& value);

  /// x, which has one position along the axis, with the last positions before it. `shape`: that of
  /// those, with their number along the axis. Positions before the first token are zeros.
  std::string window(const std::string& name,
                     const std::string& x,
                     const OnnxShape& shape,
                     std::int64_t axis);

  /// The number of tokens before the step, int64 [N].
  std::string position();

  /// The means or sums [.., k, v] of keys times values over the tokens so far, for keys [.., k] of
  /// that shape and values [.., v], as the normalisation makes them of the keys.
  std::string lambdas(const std::string& keys,
                      const std::string& values,
                      const OnnxShape& shape,
                      std::int64_t valueDepth,
                      KeyNormalization normalization);

  /// The maximum that belongs to sums, or the least number where nothing was summed yet and the
  /// sums of the weights are 0.
  std::string maximumOf(const std::string& weights, const std::string& maximum);

  /// Makes all that was kept outputs of the graph.
  void nameOutputs();

  /// The states for the metadata: a list of objects with `input`, `output`, `type`, `shape` and
  /// `beginsWith`, as JSON.
  std::string description() const;

 private:
  struct State {
    OnnxValue input;
    std::string kept = {};  ///< The value that becomes the output.

    std::string output() const { return input.name + ".next"; }
  };

  std::string add(const std::string& name, const OnnxShape& shape, OnnxType type);
  void keepAs(const std::string& name, const std::string& value);
  std::vector<State>::iterator find(const std::string& name);

  OnnxGraph& graph() { return writer_.graph(); }

  LayerWriter& writer_;
  std::vector<State> states_;
};

}  // namespace lambda
