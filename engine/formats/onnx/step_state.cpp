#include "engine/formats/onnx/step_state.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "engine/formats/json/json.h"

namespace lambda {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr const char* kPosition = "position";

OnnxShape withMore(OnnxShape shape, std::int64_t size) {
  shape.push_back(size);
  return shape;
}

}  // namespace

std::vector<StepState::State>::iterator StepState::find(const std::string& name) {
  return std::ranges::find_if(states_, [&](const State& each) { return each.input.name == name; });
}

std::string StepState::add(const std::string& name, const OnnxShape& shape, OnnxType type) {
  graph().addInput(name, shape, type);
  states_.push_back({{name, shape, type}});
  return name;
}

void StepState::keepAs(const std::string& name, const std::string& value) {
  // The value itself may be the result of a layer, which has a name already.
  find(name)->kept = graph().add("Identity", "kept", {value});
}

std::string StepState::before(const std::string& name, const OnnxShape& shape) {
  return add(graph().layer() + "." + name, shape, OnnxType::float32);
}

void StepState::keep(const std::string& name, const std::string& value) {
  keepAs(graph().layer() + "." + name, value);
}

std::string StepState::window(const std::string& name,
                              const std::string& x,
                              const OnnxShape& shape,
                              std::int64_t axis) {
  if (shape[static_cast<std::size_t>(axis)] == 0) return x;
  const std::string seen =
      graph().add("Concat", "window", {before(name, shape), x}, {{"axis", axis}});
  const auto index = [&](std::int64_t value) { return graph().constant(Integers{value}, {1}); };
  constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();
  keep(name, graph().add("Slice", "last", {seen, index(1), index(kEnd), index(axis)}));
  return seen;
}

std::string StepState::position() {
  if (find(kPosition) == states_.end()) {
    add(kPosition, {kBatch}, OnnxType::int64);
    keepAs(kPosition, writer_.add(kPosition, graph().constant(Integers{1}, {1})));
  }
  return kPosition;
}

std::string StepState::maximumOf(const std::string& weights, const std::string& maximum) {
  constexpr float kNothing = std::numeric_limits<float>::lowest();
  const std::string isSeen = graph().add("Greater", "seen", {weights, graph().scalar(0)});
  return graph().add("Where", "maximum", {isSeen, maximum, graph().scalar(kNothing)});
}

std::string StepState::lambdas(const std::string& keys,
                               const std::string& values,
                               const OnnxShape& shape,
                               std::int64_t valueDepth,
                               KeyNormalization normalization) {
  const auto column = [&](const std::string& x) { return writer_.unsqueeze(x, std::ssize(shape)); };
  const auto power = [&](const std::string& of, const std::string& greater) {
    return graph().add("Exp", "power", {graph().add("Sub", "subtract", {of, greater})});
  };
  const std::string rows = writer_.unsqueeze(values, std::ssize(shape) - 1);
  const std::string before = this->before("sums", withMore(shape, valueDepth));
  const auto summed = [&](const std::string& kept, const std::string& added) {
    const std::string sums = writer_.add(kept, writer_.multiply(column(added), rows));
    keep("sums", sums);
    return sums;
  };
  switch (normalization) {
    case KeyNormalization::softmax: {
      const std::string weights = this->before("weights", shape);
      const std::string maximum = maximumOf(weights, this->before("maximum", shape));
      const std::string greater = graph().add("Max", "greater", {maximum, keys});
      const std::string kept = power(maximum, greater), added = power(keys, greater);
      const std::string all = writer_.add(writer_.multiply(kept, weights), added);
      keep("weights", all);
      keep("maximum", greater);
      return writer_.divide(summed(writer_.multiply(column(kept), before), added), column(all));
    }
    case KeyNormalization::l2: {
      const std::string squares =
          writer_.add(this->before("squares", shape), writer_.multiply(keys, keys));
      keep("squares", squares);
      // A channel that is 0 at all positions stays 0.
      const std::string isSeen = graph().add("Greater", "seen", {squares, graph().scalar(0)});
      const std::string length = graph().add("Sqrt", "length", {squares});
      const std::string divisor =
          graph().add("Where", "divisor", {isSeen, length, graph().scalar(1)});
      return writer_.divide(summed(before, keys), column(divisor));
    }
    case KeyNormalization::none:
      break;
  }
  return summed(before, keys);
}

void StepState::nameOutputs() {
  for (const State& each : states_) {
    graph().nameOutput(each.kept, each.output(), each.input.shape, each.input.type);
  }
}

std::string StepState::description() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const State& each : states_) {
    nlohmann::ordered_json shape = nlohmann::ordered_json::array();
    for (const std::int64_t size : each.input.shape) {
      if (size == kBatch) {
        shape.push_back("N");
      } else {
        shape.push_back(size);
      }
    }
    list.push_back({{"input", each.input.name},
                    {"output", each.output()},
                    {"type", each.input.type == OnnxType::int64 ? "int64" : "float32"},
                    {"shape", shape},
                    {"beginsWith", 0}});
  }
  return formatJsonLine(list);
}

}  // namespace lambda
