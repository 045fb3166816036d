#include "engine/networks/inspection/token_terms.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "engine/layers/attention/linear_attention.h"
#include "engine/layers/attention/self_attention.h"
#include "engine/layers/convolution/depthwise_convolution.h"
#include "engine/layers/lambda/key_normalization.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/sequences/rwkv_time_mixing.h"
#include "engine/networks/inspection/lambda_arithmetic.h"

namespace lambda {

namespace {

constexpr std::int64_t kPiece = 32;          // tokens that a layer reads at once
constexpr std::int64_t kChannelsInRow = 16;  // of the picture of a vector

/// The state of a layer after the first `count` tokens of x [1, d, 1, n].
LayerState stateAfter(RecurrentLayer& layer, const at::Tensor& x, std::int64_t count) {
  LayerState state;
  for (std::int64_t done = 0; done < count; done += kPiece) {
    layer.step(x.narrow(3, done, std::min(kPiece, count - done)), state);
  }
  return state;
}

/// A vector [d] as rows of at most kChannelsInRow values.
Array inRows(const at::Tensor& vector) {
  std::int64_t columns = std::min(kChannelsInRow, vector.size(0));
  while (vector.size(0) % columns != 0) --columns;
  return arrayOf(vector.reshape({-1, columns}));
}

std::string ofChannels(const std::string& what) {
  return "row by row, of each channel " + what;
}

class LambdaTokens : public TokenArithmetic {
 public:
  LambdaTokens(std::shared_ptr<LambdaLayerImpl> layer, const at::Tensor& x)
      : layer_(std::move(layer)),
        length_(x.size(3)),
        heads_(layer_->operands(x, /*normalizesKeys=*/false)) {}

  TokenTerms at(std::int64_t token) override {
    std::vector<at::Tensor> content, position, total, vectors;
    for (std::size_t run = 0; run < heads_.size(); ++run) {
      const Rows rows = rowsOf(run, token);
      const at::Tensor queries = inDouble(heads_[run].queries[0][token]);  // [h, k]
      const auto weightsOf = [&](const at::Tensor& keys) {
        return at::einsum("hk,muk->hmu", {queries, keys});
      };
      if (rows.content.defined()) content.push_back(weightsOf(rows.content).sum(2));
      if (rows.position.defined()) position.push_back(weightsOf(rows.position).sum(2));
      const at::Tensor weights = weightsOf(rows.total());
      total.push_back(weights.sum(2));
      vectors.push_back(at::einsum("hmu,muv->hmv", {weights, rows.values}));
    }
    return {.weights = at::cat(total),
            .content = content.empty() ? at::Tensor() : at::cat(content),
            .position = position.empty() ? at::Tensor() : at::cat(position),
            .vectors = at::cat(vectors)};
  }

  std::vector<KeptPart> keptAfter(std::int64_t token) override {
    std::vector<at::Tensor> content, position, total;
    for (std::size_t run = 0; run < heads_.size(); ++run) {
      const Rows rows = rowsOf(run, token);
      const auto lambdaOf = [&](const at::Tensor& keys) {
        return at::einsum("muk,muv->kv", {keys, rows.values});
      };
      if (rows.content.defined()) content.push_back(lambdaOf(rows.content));
      if (rows.position.defined()) position.push_back(lambdaOf(rows.position));
      total.push_back(lambdaOf(rows.total()));
    }
    const std::string meaning = " of the tokens so far, k rows and v columns";
    std::vector<KeptPart> parts;
    if (!content.empty() && !position.empty()) {
      parts.push_back({"lambda-content", "content lambda" + meaning, stacked(content)});
      parts.push_back({"lambda-position", "position lambda" + meaning, stacked(position)});
    }
    parts.push_back({"lambda-total", "lambda" + meaning, stacked(total)});
    return parts;
  }

 private:
  /// What a query sees of its context: kbar and e [m, u, k], of which one may be undefined, and the
  /// values [m, u, v].
  struct Rows {
    at::Tensor values;
    at::Tensor content = {};
    at::Tensor position = {};

    at::Tensor total() const {
      if (!content.defined()) return position;
      return position.defined() ? content + position : content;
    }
  };

  Rows rowsOf(std::size_t run, std::int64_t token) {
    const LambdaOperands& head = heads_[run];
    const std::int64_t u = layer_->options.mixer.intraDepth, seen = token + 1;
    const auto rowsUpTo = [&](const at::Tensor& all) {
      return inDouble(all).view({length_, u, -1}).narrow(0, 0, seen);
    };
    Rows rows{.values = rowsUpTo(head.values[0])};
    if (head.keys.defined()) {
      const at::Tensor keys = rowsUpTo(head.keys[0]).flatten(1).unsqueeze(0);
      rows.content =
          normalizeKeys(keys, layer_->options.mixer.keyNormalization, {}).view({seen, u, -1});
    }
    if (layer_->embedding) {
      rows.position = rowsUpTo(layer_->context.embeddingsOfQuery(
          layer_->embedding, token, 1, length_, static_cast<std::int64_t>(run)));
    }
    return rows;
  }

  static Array stacked(const std::vector<at::Tensor>& heads) {
    return arrayOf(heads.size() == 1 ? heads.front() : at::stack(heads));
  }

  std::shared_ptr<LambdaLayerImpl> layer_;
  std::int64_t length_;
  std::vector<LambdaOperands> heads_;
};

class AttentionTokens : public TokenArithmetic {
 public:
  /// `weights`: [1, h, n, m].
  AttentionTokens(const at::Tensor& weights, const at::Tensor& values)
      : weights_(inDouble(weights[0])), values_(inDouble(values[0])) {}

  TokenTerms at(std::int64_t token) override {
    const at::Tensor weights = weights_.select(1, token).narrow(1, 0, token + 1);
    return {.weights = weights, .vectors = weights.unsqueeze(2) * values_.narrow(1, 0, token + 1)};
  }

 private:
  at::Tensor weights_;  // [h, n, m]
  at::Tensor values_;   // [h, m, c]
};

class SelfAttentionTokens : public AttentionTokens {
 public:
  SelfAttentionTokens(std::shared_ptr<SelfAttentionImpl> layer, const at::Tensor& x)
      : AttentionTokens(layer->weights(x), layer->terms(x, 0).values),
        layer_(std::move(layer)),
        x_(x) {}

  std::vector<KeptPart> keptAfter(std::int64_t token) override {
    const LayerState state = stateAfter(*layer_, x_, token + 1);
    const auto channels = [&](const at::Tensor& headed) {  // [1, h, m, c]
      return arrayOf(headed[0].transpose(1, 2).flatten(0, 1));
    };
    return {{"keys",
             "keys of the tokens so far: rows are channels, columns tokens",
             channels(state[0])},
            {"values",
             "values of the tokens so far: rows are channels, columns tokens",
             channels(state[1])}};
  }

 private:
  std::shared_ptr<SelfAttentionImpl> layer_;
  at::Tensor x_;
};

class LinearAttentionTokens : public AttentionTokens {
 public:
  LinearAttentionTokens(std::shared_ptr<LinearAttentionImpl> layer, const at::Tensor& x)
      : AttentionTokens(layer->weights(x), layer->terms(x, 0).values),
        layer_(std::move(layer)),
        x_(x) {}

  std::vector<KeptPart> keptAfter(std::int64_t token) override {
    const at::Tensor sums = stateAfter(*layer_, x_, token + 1)[0];  // [h, c, c], or a column more
    return {{"sums",
             "sum of φ(k) vᵀ of the tokens so far for each head, φ(k) down and v across",
             arrayOf(sums.narrow(2, 0, sums.size(1)))}};
  }

 private:
  std::shared_ptr<LinearAttentionImpl> layer_;
  at::Tensor x_;
};

class RwkvTokens : public TokenArithmetic {
 public:
  RwkvTokens(std::shared_ptr<RwkvTimeMixingImpl> layer, const at::Tensor& x)
      : layer_(std::move(layer)), x_(x) {
    const TimeMixingOperands operands = layer_->operands(x);
    keys_ = inDouble(operands.wkv.keys[0]);
    values_ = inDouble(operands.wkv.values[0]);
    rate_ = inDouble(operands.wkv.decay).exp();
    bonus_ = inDouble(operands.wkv.bonus);
    gate_ = inDouble(operands.gate[0]);
    output_ = inDouble(layer_->output->weight);
  }

  TokenTerms at(std::int64_t token) override {
    const std::int64_t seen = token + 1;
    // How many tokens stand between each earlier one and this one.
    const at::Tensor between = at::arange(token - 1, -2, -1, at::kDouble).unsqueeze(1);
    at::Tensor logits = keys_.narrow(0, 0, seen) - between * rate_;
    logits[token] = keys_[token] + bonus_;
    const at::Tensor weights = logits.softmax(0);  // [m, d]
    const at::Tensor gated = gate_[token] * weights * values_.narrow(0, 0, seen);
    return {.weights = weights.mean(1).unsqueeze(0),
            .channelWeights = weights.t(),
            .vectors = at::matmul(gated, output_.t()).unsqueeze(0)};
  }

  std::vector<KeptPart> keptAfter(std::int64_t token) override {
    const LayerState state = stateAfter(*layer_, x_, token + 1);
    const at::Tensor sums = inDouble(state[1][0]);  // num, den, maximum [3, d]
    return {
        {"mean", ofChannels("the decayed mean of the values so far"), inRows(sums[0] / sums[1])},
        {"size",
         ofChannels("the logarithm of the weights' sum, against which a new token stands"),
         inRows(sums[1].log() + sums[2])},
        {"last",
         ofChannels("the layer's input at this token, of which the next one takes a share"),
         inRows(state[0][0])}};
  }

  std::vector<ChannelDecay> decays() override {
    std::vector<ChannelDecay> decays;
    for (std::int64_t channel = 0; channel < rate_.size(0); ++channel) {
      const double rate = rate_[channel].item<double>();
      decays.push_back({.channel = static_cast<int>(channel),
                        .rate = rate,
                        .bonus = bonus_[channel].item<double>(),
                        .halfLife = std::numbers::ln2 / rate});
    }
    std::ranges::stable_sort(decays, {}, &ChannelDecay::rate);
    return decays;
  }

 private:
  std::shared_ptr<RwkvTimeMixingImpl> layer_;
  at::Tensor x_;
  at::Tensor keys_, values_, gate_;  // [n, d]
  at::Tensor rate_, bonus_;          // [d]
  at::Tensor output_;                // W_o [d, d]
};

class DepthwiseTokens : public TokenArithmetic {
 public:
  DepthwiseTokens(std::shared_ptr<DepthwiseConvolutionImpl> layer, const at::Tensor& x)
      : layer_(std::move(layer)), x_(x), inputs_(inDouble(x[0].squeeze(1))) {
    taps_ = inDouble(layer_->filters).flatten(1);
  }

  TokenTerms at(std::int64_t token) override {
    const std::int64_t seen = token + 1, taps = std::min(seen, taps_.size(1));
    const at::Tensor weights =
        at::constant_pad_nd(taps_.slice(1, taps_.size(1) - taps), {seen - taps, 0});  // [d, m]
    at::Tensor vectors = (weights * inputs_.narrow(1, 0, seen)).t();                  // [m, d]
    if (layer_->pointwise) {
      vectors = at::matmul(vectors, inDouble(layer_->pointwise->weight).flatten(1).t());
    }
    return {.weights = weights.mean(0).unsqueeze(0),
            .channelWeights = weights,
            .vectors = vectors.unsqueeze(0)};
  }

  std::vector<KeptPart> keptAfter(std::int64_t token) override {
    const LayerState state = stateAfter(*layer_, x_, token + 1);
    if (state[0].numel() == 0) return {};
    return {{"inputs",
             "the layer's last inputs, zeros before the first: rows are channels, columns tokens",
             arrayOf(state[0][0].squeeze(1))}};
  }

 private:
  std::shared_ptr<DepthwiseConvolutionImpl> layer_;
  at::Tensor x_;
  at::Tensor inputs_;  // [d, n]
  at::Tensor taps_;    // [d, k], the last one is that of the token itself.
};

}  // namespace

std::unique_ptr<TokenArithmetic> TokenArithmetic::of(const MixerUnit& unit, const at::Tensor& x) {
  if (auto layer = unit->layerAs<LambdaLayerImpl>()) {
    return std::make_unique<LambdaTokens>(std::move(layer), x);
  }
  if (auto layer = unit->layerAs<SelfAttentionImpl>()) {
    return std::make_unique<SelfAttentionTokens>(std::move(layer), x);
  }
  if (auto layer = unit->layerAs<LinearAttentionImpl>()) {
    return std::make_unique<LinearAttentionTokens>(std::move(layer), x);
  }
  if (auto layer = unit->layerAs<RwkvTimeMixingImpl>()) {
    return std::make_unique<RwkvTokens>(std::move(layer), x);
  }
  if (auto layer = unit->layerAs<DepthwiseConvolutionImpl>()) {
    return std::make_unique<DepthwiseTokens>(std::move(layer), x);
  }
  TORCH_CHECK(false, "this kind of layer has no contributions of tokens");
}

}  // namespace lambda
