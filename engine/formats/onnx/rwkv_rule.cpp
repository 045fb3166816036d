#include <limits>

#include "engine/formats/onnx/mixer_rules.h"

namespace lambda {

namespace {

/// The sums over tokens of the wkv, num e^maximum and den e^maximum, values [N, n, d].
struct Sums {
  std::string num, den, maximum;
};

/// Writes the time mixing of RWKV-4. Its sums run over twice as many tokens in each of log2 n
/// rounds, because the operator that follows one token after the other (Scan) is missing in many
/// run times.
class RwkvWriter {
 public:
  RwkvWriter(LayerWriter& writer, const PlacedMixer& place)
      : writer_(writer),
        module_(place.name + ".layer"),
        channels_(place.input.channels),
        depth_(place.output.channels),
        length_(place.input.positions()) {}

  /// [N, n, d] for the tokens [N, n, c].
  std::string write(const std::string& tokens) {
    const std::string before = later(tokens, 1, 0);
    const auto mixed = [&](const char* name) {
      // before + share (tokens - before)
      const std::string share = weight(name, channels_);
      const std::string step = writer_.multiply(share, subtract(tokens, before));
      return writer_.add(before, step);
    };
    const std::string keys = product(mixed("time_mix_k"), "key", channels_);
    const std::string values = product(mixed("time_mix_v"), "value", channels_);
    const std::string gate =
        graph().add("Sigmoid", "gate", {product(mixed("time_mix_r"), "receptance", channels_)});
    return product(writer_.multiply(gate, mean(keys, values)), "output", depth_);
  }

 private:
  OnnxGraph& graph() { return writer_.graph(); }

  std::string weight(const char* name, int size) {
    return graph().weight(module_ + "." + name, {size});
  }

  std::string subtract(const std::string& a, const std::string& b) {
    return graph().add("Sub", "subtract", {a, b});
  }

  std::string power(const std::string& x) { return graph().add("Exp", "power", {x}); }

  /// x by the matrix of that module.
  std::string product(const std::string& x, const std::string& name, int inputs) {
    const std::string matrix = graph().weight(module_ + "." + name + ".weight", {depth_, inputs});
    return writer_.matmul(x, writer_.transpose(matrix, {1, 0}), name);
  }

  /// Each token of x [N, n, ..] replaced by the one `count` before it, and the first ones by
  /// `first`.
  std::string later(const std::string& x, long long count, float first) {
    const auto index = [&](std::int64_t value) {
      return graph().constant(std::vector<std::int64_t>{value}, {1});
    };
    const std::string kept =
        graph().add("Slice", "kept", {x, index(0), index(length_ - count), index(1)});
    const std::string padding =
        graph().constant(std::vector<std::int64_t>{0, count, 0, 0, 0, 0}, {6});
    return graph().add("Pad", "later", {kept, padding, graph().scalar(first)});
  }

  Sums later(const Sums& sums, long long count) {
    constexpr float kNothing = std::numeric_limits<float>::lowest();
    return {
        later(sums.num, count, 0), later(sums.den, count, 0), later(sums.maximum, count, kNothing)};
  }

  /// Both together, scaled by the greater maximum.
  Sums sum(const Sums& a, const Sums& b) {
    const std::string greater = graph().add("Max", "greater", {a.maximum, b.maximum});
    const std::string ofA = power(subtract(a.maximum, greater));
    const std::string ofB = power(subtract(b.maximum, greater));
    const auto scaled = [&](const std::string& x, const std::string& y) {
      return writer_.add(writer_.multiply(ofA, x), writer_.multiply(ofB, y));
    };
    return {scaled(a.num, b.num), scaled(a.den, b.den), greater};
  }

  /// The wkv.
  std::string mean(const std::string& keys, const std::string& values) {
    const std::string rate = power(weight("time_decay", depth_));
    // Ones of the values' shape, whose batch is open.
    const std::string zeros = writer_.multiply(values, graph().scalar(0));
    const std::string ones = writer_.add(zeros, graph().scalar(1));
    Sums sums{values, ones, keys};
    for (long long count = 1; count < length_; count *= 2) {
      Sums earlier = later(sums, count);
      const std::string fall = writer_.multiply(rate, graph().scalar(static_cast<float>(count)));
      earlier.maximum = subtract(earlier.maximum, fall);
      sums = sum(sums, earlier);
    }
    const std::string own = writer_.add(keys, weight("time_first", depth_));
    const Sums seen = sum(later(sums, 1), {values, ones, own});
    return writer_.divide(seen.num, seen.den);
  }

  LayerWriter& writer_;
  std::string module_;
  int channels_;
  int depth_;
  long long length_;
};

}  // namespace

std::string writeMixer(LayerWriter& writer,
                       const RwkvMixer& /*mixer*/,
                       const PlacedMixer& place,
                       const std::string& x) {
  MapShape map = place.input;
  const std::string tokens = writer.pixels(x, map.channels, map.positions());
  map.channels = place.output.channels;
  return writer.mapOf(RwkvWriter(writer, place).write(tokens), map);
}

}  // namespace lambda
