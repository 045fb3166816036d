#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/formats/onnx/mixer_rules.h"
#include "engine/values/architecture/mixers/lambda_mask.h"

namespace lambda {

namespace {

/// Writes one lambda layer. Rows of the context are (m, u): position m, intra-depth u. See
/// engine/layers/lambda/lambda_core.h for the order of the products.
class LambdaRule {
 public:
  LambdaRule(LayerWriter& writer, const LambdaMixer& mixer, const PlacedMixer& place)
      : writer_(writer),
        mixer_(mixer),
        module_(place.name + ".layer"),
        map_(place.input),
        tableMap_(place.input),
        n_(map_.positions()),
        outputs_(place.output.channels),
        own_(mixer.multiHead ? mixer.heads : 1),
        k_(mixer.queryDepth),
        u_(mixer.intraDepth),
        v_(outputs_ / mixer.heads),
        isPerChannel_(mixer.normAxes == NormAxes::channels) {}

  /// The rule for one token, with the embeddings of the whole length.
  static LambdaRule ofToken(LayerWriter& writer,
                            const LambdaMixer& mixer,
                            const PlacedMixer& place) {
    LambdaRule rule(writer, mixer, place);
    rule.map_.width = 1;
    rule.n_ = 1;
    return rule;
  }

  std::string writeStep(const std::string& x, StepState& state) {
    const std::string q = writer_.reshape(queries(x), {kBatch, own_, headsOfEach(), k_}, "queries");
    const std::string v = writer_.reshape(values(x), {kBatch, own_, u_, v_}, "values");
    std::string y;
    if (mixer_.content) {
      const OnnxShape shape{kBatch, own_, u_, k_};
      const std::string keys =
          writer_.reshape(projection(x, "keys", own_ * u_ * k_), shape, "keys");
      const std::string each = state.lambdas(keys, v, shape, v_, mixer_.keyNormalization);
      const std::string lambda =
          writer_.reshape(writer_.sum(each, 2), {kBatch, own_, k_, v_}, "contentLambda");
      y = writer_.matmul(q, lambda);
    }
    if (hasPositions()) {
      const std::string ofPositions = stepOfPositions(q, v, state);
      y = y.empty() ? ofPositions : writer_.add(y, ofPositions);
    }
    return writer_.reshape(y, {kBatch, outputs_, 1, 1});
  }

  std::string write(const std::string& input) {
    const std::string x = tokens(input);
    const std::vector<std::string> queries = writer_.split(this->queries(x), 2, mixer_.heads, own_);
    const std::vector<std::string> values = writer_.split(this->values(x), 2, own_ * u_ * v_, own_);
    std::vector<std::string> keys(queries.size());
    if (mixer_.content)
      keys = writer_.split(this->keys(x), isMasked() ? 3 : 2, own_ * u_ * k_, own_);
    std::vector<std::string> heads;
    for (std::size_t head = 0; head < queries.size(); ++head) {
      heads.push_back(outputOf(queries[head], keys[head], values[head], static_cast<int>(head)));
    }
    std::string y = heads.front();
    if (heads.size() > 1) {
      y = writer_.graph().add("Concat", "heads", heads, {{"axis", std::int64_t{2}}});
    }
    return writer_.mapOf(writer_.reshape(y, {kBatch, n_, outputs_}),
                         {outputs_, map_.height, map_.width});
  }

 private:
  bool isMasked() const { return mixer_.mask != ContextMask::none; }

  bool hasPositions() const { return mixer_.embedding != PositionEmbedding::none; }

  long long headsOfEach() const { return mixer_.heads / own_; }

  /// A token is a pixel, or a run of values of the map in channel-major order.
  std::string tokens(const std::string& x) {
    if (mixer_.tokenOrder == TokenOrder::pixels) return x;
    const std::string runs =
        writer_.reshape(x, {kBatch, map_.height, map_.width, map_.channels}, "tokens");
    return writer_.transpose(runs, {0, 3, 1, 2});
  }

  std::string projection(const std::string& x, const char* name, int channels) {
    return writer_.convolution(
        x, module_ + "." + name, name, {.inputs = map_.channels, .outputs = channels});
  }

  /// [N, n, h, k]
  std::string queries(const std::string& x) {
    const int channels = mixer_.heads * k_;
    const bool isNormed = mixer_.normalizeQueries;
    std::string q = projection(x, "queries", channels);
    if (isNormed && isPerChannel_) q = writer_.norm(q, module_ + ".queryNorm", channels);
    q = writer_.reshape(writer_.pixels(q, channels, n_), {kBatch, n_, mixer_.heads, k_});
    if (isNormed && !isPerChannel_) {
      q = writer_.norm(writer_.transpose(q, {0, 3, 1, 2}), module_ + ".queryNorm", k_);
      q = writer_.transpose(q, {0, 2, 3, 1});
    }
    return mixer_.softmaxQueries ? writer_.softmax(q, 3) : q;
  }

  /// [N, m, c]
  std::string values(const std::string& x) {
    const int channels = own_ * u_ * v_;
    std::string v = projection(x, "values", channels);
    if (!mixer_.normalizeValues) return writer_.pixels(v, channels, n_);
    if (isPerChannel_) {
      return writer_.pixels(writer_.norm(v, module_ + ".valueNorm", channels), channels, n_);
    }
    v = writer_.unsqueeze(writer_.pixels(v, channels, n_), 3);
    v = writer_.norm(v, module_ + ".valueNorm", static_cast<int>(n_));
    return writer_.reshape(v, {kBatch, n_, channels});
  }

  /// [N, m, c]; with a mask [N, n, m, c], normalised over what each query sees.
  std::string keys(const std::string& x) {
    const int channels = own_ * u_ * k_;
    const std::string keys = writer_.pixels(projection(x, "keys", channels), channels, n_);
    if (!isMasked()) {
      switch (mixer_.keyNormalization) {
        case KeyNormalization::softmax:
          return writer_.softmax(keys, 1);
        case KeyNormalization::l2:
          return dividedByNorm(keys, 1);
        case KeyNormalization::none:
          return keys;
      }
    }
    const std::string all = writer_.unsqueeze(keys, 1);
    const std::string seen = writer_.graph().constant(seenPairs(), {n_, n_, 1});
    if (mixer_.keyNormalization == KeyNormalization::softmax) {
      const std::string hidden = writer_.graph().constant(hiddenLogits(), {n_, n_, 1});
      return writer_.multiply(writer_.softmax(writer_.add(all, hidden), 2), seen);
    }
    const std::string visible = writer_.multiply(all, seen);
    return mixer_.keyNormalization == KeyNormalization::l2 ? dividedByNorm(visible, 2) : visible;
  }

  /// Each channel over its 2-norm; one that is 0 everywhere stays 0.
  std::string dividedByNorm(const std::string& keys, std::int64_t axis) {
    OnnxGraph& graph = writer_.graph();
    const std::string length =
        graph.add("ReduceL2",
                  "length",
                  {keys},
                  {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{1}}});
    const std::string isPositive = graph.add("Greater", "positive", {length, graph.scalar(0)});
    return writer_.divide(keys,
                          graph.add("Where", "divisor", {isPositive, length, graph.scalar(1)}));
  }

  bool sees(long long query, long long position) const {
    if (mixer_.mask == ContextMask::causal) return position <= query;
    if (mixer_.mask == ContextMask::none) return true;
    const std::vector<std::string_view> rows = maskRowsOf(mixer_);
    const auto row = rows.size() == 1 ? std::size_t{0} : static_cast<std::size_t>(query);
    return rows[row][static_cast<std::size_t>(position)] == '1';
  }

  /// [n, m]: 1 for what a query sees, 0 for the rest.
  std::vector<float> seenPairs() const {
    std::vector<float> pairs;
    for (long long query = 0; query < n_; ++query) {
      for (long long m = 0; m < n_; ++m) pairs.push_back(sees(query, m) ? 1.0F : 0.0F);
    }
    return pairs;
  }

  /// [n, m]: minus infinity for what a query does not see, unless it sees nothing.
  std::vector<float> hiddenLogits() const {
    std::vector<float> logits = seenPairs();
    for (auto row = logits.begin(); row != logits.end(); row += n_) {
      const bool seesAny = std::any_of(row, row + n_, [](float seen) { return seen > 0; });
      for (auto each = row; each != row + n_; ++each) {
        *each = *each > 0 || !seesAny ? 0 : -std::numeric_limits<float>::infinity();
      }
    }
    return logits;
  }

  /// The output [N, n, h, v] of the heads that share these operands.
  std::string outputOf(const std::string& q,
                       const std::string& keys,
                       const std::string& values,
                       int head) {
    const std::string v = writer_.reshape(values, {kBatch, n_ * u_, v_}, "values");
    std::string y;
    if (hasPositions()) {
      y = mixer_.scope > 0 && !isMasked() ? lambdaConvolution(q, v, head)
                                          : weighted(pairWeights(q, head), v);
    }
    if (!mixer_.content) return y;
    const std::string content = isMasked() ? maskedContent(q, keys, v) : contentPart(q, keys, v);
    return y.empty() ? content : writer_.add(y, content);
  }

  /// Weights [N, n, h, m u] times values [N, m u, v].
  std::string weighted(const std::string& weights, const std::string& v) {
    const std::string rows = writer_.reshape(weights, {kBatch, n_ * headsOfEach(), n_ * u_});
    return writer_.reshape(writer_.matmul(rows, v), {kBatch, n_, headsOfEach(), v_});
  }

  std::string contentPart(const std::string& q, const std::string& keys, const std::string& v) {
    const std::string rows = writer_.reshape(keys, {kBatch, n_ * u_, k_}, "keys");
    const std::string lambda =
        writer_.matmul(writer_.transpose(rows, {0, 2, 1}), v, "contentLambda");
    const std::string queries = writer_.reshape(q, {kBatch, n_ * headsOfEach(), k_});
    return writer_.reshape(writer_.matmul(queries, lambda), {kBatch, n_, headsOfEach(), v_});
  }

  std::string maskedContent(const std::string& q, const std::string& keys, const std::string& v) {
    const std::string rows = writer_.reshape(keys, {kBatch, n_, n_ * u_, k_}, "keys");
    return weighted(writer_.matmul(q, writer_.transpose(rows, {0, 1, 3, 2})), v);
  }

  /// R of all heads, [rows, t u, k].
  std::string table() {
    const std::string name = mixer_.sharedEmbeddings.empty()
                                 ? module_ + ".embedding.table"
                                 : "embeddings-" + mixer_.sharedEmbeddings + ".table";
    return writer_.graph().weight(name, {embeddingRows(mixer_, tableMap_), own_ * u_, k_});
  }

  /// R of a head, [rows, u, k].
  std::string table(int head) {
    const std::string whole = table();
    if (own_ == 1) return whole;
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < u_; ++i) columns.push_back(head * u_ + i);
    return writer_.rows(whole, columns, 1);
  }

  /// The table's row of a pair; the number of rows for a pair without embedding.
  std::int64_t rowOf(long long query, long long position, long long rows) const {
    if (!sees(query, position)) return rows;
    if (mixer_.embedding == PositionEmbedding::absolute) return query * n_ + position;
    const long long down = position / map_.width - query / map_.width;
    const long long right = position % map_.width - query % map_.width;
    if (mixer_.scope == 0) {
      return (down + map_.height - 1) * (2LL * map_.width - 1) + right + map_.width - 1;
    }
    const long long reach = mixer_.scope / 2;
    const bool isInside = std::abs(down) <= reach && std::abs(right) <= reach;
    return isInside ? (down + reach) * mixer_.scope + right + reach : rows;
  }

  /// q_n . e_nm as [N, n, h, m u].
  std::string pairWeights(const std::string& q, int head) {
    const long long rows = embeddingRows(mixer_, map_);
    std::vector<std::int64_t> index;
    bool hasOutside = false;
    for (long long query = 0; query < n_; ++query) {
      for (long long m = 0; m < n_; ++m) {
        index.push_back(rowOf(query, m, rows));
        hasOutside = hasOutside || index.back() == rows;
      }
    }
    std::string source = table(head);
    if (hasOutside) {
      const std::string zeros = writer_.graph().constant(
          std::vector<float>(static_cast<std::size_t>(u_ * k_)), {1, u_, k_});
      source = writer_.graph().add("Concat", "table", {source, zeros}, {{"axis", std::int64_t{0}}});
    }
    const std::string embeddings =
        writer_.reshape(writer_.rows(source, index), {n_, n_ * u_, k_}, "embeddings");
    return writer_.matmul(q, writer_.transpose(embeddings, {0, 2, 1}), "positionWeights");
  }

  /// The position part of a local scope: the values are convolved with the embeddings into lambdas.
  std::string lambdaConvolution(const std::string& q, const std::string& v, int head) {
    const int side = mixer_.scope;
    std::string maps = writer_.reshape(v, {kBatch, n_, u_, v_});
    maps = writer_.transpose(maps, {0, 3, 2, 1});
    maps = writer_.reshape(maps, {kBatch, u_, map_.height, map_.width}, "maps");
    const std::string filters =
        writer_.reshape(writer_.transpose(table(head), {2, 1, 0}), {k_, u_, side, side}, "filters");
    std::string lambdas =
        writer_.convolutionBy(maps,
                              filters,
                              "lambdaConvolution",
                              {.inputs = u_, .outputs = k_, .kernel = side, .padding = side / 2});
    lambdas = writer_.transpose(writer_.reshape(lambdas, {kBatch, v_, k_, n_}), {0, 3, 2, 1});
    return writer_.matmul(q, lambdas);
  }

  /// The position part [N, t, h / t, v] of a token with queries [N, t, h / t, k] and values
  /// [N, t, u, v].
  std::string stepOfPositions(const std::string& q, const std::string& v, StepState& state) {
    const std::int64_t length = tableMap_.width;
    const std::int64_t reach =
        std::min<std::int64_t>(mixer_.scope > 0 ? mixer_.scope / 2 : length, length - 1);
    // Values before the first token are 0, whatever their embeddings are.
    const std::string seen =
        state.window("values", writer_.unsqueeze(v, 2), {kBatch, own_, reach, u_, v_}, 2);
    const std::string rows = mixer_.embedding == PositionEmbedding::absolute
                                 ? absoluteRows(length, state)
                                 : relativeRows(length, reach);  // [.., reach + 1, t u, k]
    std::string embeddings = writer_.reshape(rows, {-1, reach + 1, own_, u_, k_}, "embeddings");
    embeddings = writer_.reshape(writer_.transpose(embeddings, {0, 2, 4, 1, 3}),
                                 {-1, own_, k_, (reach + 1) * u_});
    const std::string weights = writer_.matmul(q, embeddings, "positionWeights");
    return writer_.matmul(weights, writer_.reshape(seen, {kBatch, own_, (reach + 1) * u_, v_}));
  }

  /// The rows of the offsets from -reach to 0.
  std::string relativeRows(std::int64_t length, std::int64_t reach) {
    const std::int64_t own =  // The row of offset 0.
        mixer_.scope == 0 ? length - 1 : (mixer_.scope / 2) * (mixer_.scope + std::int64_t{1});
    std::vector<std::int64_t> index;
    for (std::int64_t back = reach; back >= 0; --back) index.push_back(own - back);
    return writer_.rows(table(), index);
  }

  /// The rows of a query, which stands at the end of the window where the sequence is longer.
  std::string absoluteRows(std::int64_t length, StepState& state) {
    OnnxGraph& graph = writer_.graph();
    const auto integers = [&](std::vector<std::int64_t> values) {
      const std::int64_t count = std::ssize(values);
      return graph.constant(std::move(values), {count});
    };
    std::vector<std::int64_t> back;
    for (std::int64_t place = 1 - length; place <= 0; ++place) back.push_back(place);
    const std::string position = writer_.reshape(state.position(), {kBatch, 1}, "position");
    const std::string query = graph.add("Min", "query", {position, integers({length - 1})});
    const std::string context =
        graph.add("Max", "context", {writer_.add(query, integers(std::move(back))), integers({0})});
    const std::string index = writer_.add(writer_.multiply(query, integers({length})), context);
    return graph.add("Gather", "rows", {table(), index}, {{"axis", std::int64_t{0}}});
  }

  LayerWriter& writer_;
  const LambdaMixer& mixer_;
  std::string module_;
  MapShape map_;
  MapShape tableMap_;  ///< The map that the embeddings are for.
  long long n_;        ///< Positions: queries and context are the same.
  int outputs_;
  int own_;  ///< Heads that have keys, values and embeddings of their own.
  int k_;
  int u_;
  int v_;
  bool isPerChannel_;
};

}  // namespace

std::string writeMixer(LayerWriter& writer,
                       const LambdaMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  return LambdaRule(writer, mixer, place).write(x);
}

std::string writeStep(LayerWriter& writer,
                      const LambdaMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state) {
  return LambdaRule::ofToken(writer, mixer, place).writeStep(x, state);
}

}  // namespace lambda
