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
    return write(tokens, later(tokens, 1, 0), [&](const std::string& keys, const std::string& v) {
      return mean(keys, v);
    });
  }

  /// [N, d] for the next token [N, c].
  std::string writeStep(const std::string& token, StepState& state) {
    const std::string before = state.before("previous", {kBatch, channels_});
    state.keep("previous", token);
    return write(token, before, [&](const std::string& key, const std::string& value) {
      return nextMean(key, value, state);
    });
  }

 private:
  /// The layer for tokens [N, .., c], those before them, and the wkv of their keys and values.
  template <class Mean>
  std::string write(const std::string& tokens, const std::string& before, const Mean& wkv) {
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
    return product(writer_.multiply(gate, wkv(keys, values)), "output", depth_);
  }

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
    const std::string rate = this->rate(), ones = onesLike(values);
    Sums sums{values, ones, keys};
    for (long long count = 1; count < length_; count *= 2) {
      Sums earlier = later(sums, count);
      const std::string fall = writer_.multiply(rate, graph().scalar(static_cast<float>(count)));
      earlier.maximum = subtract(earlier.maximum, fall);
      sums = sum(sums, earlier);
    }
    return withOwn(later(sums, 1), keys, values, ones);
  }

  /// The wkv [N, d] of the next token.
  std::string nextMean(const std::string& key, const std::string& value, StepState& state) {
    const OnnxShape shape{kBatch, depth_};
    Sums past{state.before("num", shape), state.before("den", shape), {}};
    past.maximum = state.maximumOf(past.den, state.before("maximum", shape));
    const std::string ones = onesLike(value);
    const std::string y = withOwn(past, key, value, ones);
    past.maximum = subtract(past.maximum, rate());
    const Sums sums = sum(past, {value, ones, key});
    state.keep("num", sums.num);
    state.keep("den", sums.den);
    state.keep("maximum", sums.maximum);
    return y;
  }

  /// The mean of the tokens in the sums before and of the own, which has the bonus.
  std::string withOwn(const Sums& before,
                      const std::string& keys,
                      const std::string& values,
                      const std::string& ones) {
    const std::string own = writer_.add(keys, weight("time_first", depth_));
    const Sums seen = sum(before, {values, ones, own});
    return writer_.divide(seen.num, seen.den);
  }

  std::string rate() { return power(weight("time_decay", depth_)); }

  /// Ones of the values' shape, whose batch is open.
  std::string onesLike(const std::string& values) {
    return writer_.add(writer_.multiply(values, graph().scalar(0)), graph().scalar(1));
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

std::string writeStep(LayerWriter& writer,
                      const RwkvMixer& /*mixer*/,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state) {
  const std::string token = writer.reshape(x, {kBatch, place.input.channels}, "token");
  const std::string y = RwkvWriter(writer, place).writeStep(token, state);
  return writer.reshape(y, {kBatch, place.output.channels, 1, 1});
}

}  // namespace lambda
