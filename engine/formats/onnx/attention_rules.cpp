#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/formats/onnx/mixer_rules.h"

namespace lambda {

namespace {

using Integers = std::vector<std::int64_t>;

/// The logit of a position that a query does not see.
constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// What the attention layers have in common: queries, keys and values of h heads with c = d / h
/// channels each.
class AttentionWriter {
 public:
  AttentionWriter(LayerWriter& writer, std::string module, MapShape input, int outputs, int heads)
      : writer_(writer),
        module_(std::move(module)),
        input_(input),
        outputs_(outputs),
        heads_(heads),
        depth_(outputs / heads) {}

  LayerWriter& writer() { return writer_; }

  int depth() const { return depth_; }

  std::string tensor(const std::string& name, const OnnxShape& shape) {
    return writer_.graph().weight(module_ + "." + name, shape);
  }

  /// A projection of x as [N, h, n, c].
  std::string projected(const std::string& x, const char* name) {
    const std::string map = writer_.convolution(
        x, module_ + "." + name, name, {.inputs = input_.channels, .outputs = outputs_});
    const std::string headed =
        writer_.reshape(map, {kBatch, heads_, depth_, input_.positions()}, name);
    return writer_.transpose(headed, {0, 1, 3, 2});
  }

  std::string scaledQueries(const std::string& x) {
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(depth_)));
    return writer_.multiply(projected(x, "queries"), writer_.graph().scalar(scale));
  }

  /// [N, h, n, c] as [N, h, H, W, c].
  std::string placed(const std::string& headed) {
    return writer_.reshape(headed, {kBatch, heads_, input_.height, input_.width, depth_}, "placed");
  }

  /// [N, h, n, c] as a map [N, d, H, W].
  std::string mapOf(const std::string& headed) {
    return writer_.reshape(writer_.transpose(headed, {0, 1, 3, 2}),
                           {kBatch, outputs_, input_.height, input_.width},
                           "map");
  }

  /// The embeddings [2 size - 1, c] of the offsets on a line as [size, c, size], by the places of
  /// query and context.
  std::string lineEmbeddings(const std::string& name, std::int64_t size) {
    Integers index;
    for (std::int64_t query = 0; query < size; ++query) {
      for (std::int64_t m = 0; m < size; ++m) index.push_back(m - query + size - 1);
    }
    const std::string table = tensor(name, {2 * size - 1, depth_});
    return writer_.transpose(writer_.rows(table, index, 0, {size, size}), {0, 2, 1});
  }

  /// Products of q [N, h, a, b, c] with the embeddings of the places a or b, [N, h, a, b, place].
  std::string productsAlongFirst(const std::string& q, const std::string& embeddings) {
    return writer_.matmul(q, embeddings);
  }

  std::string productsAlongSecond(const std::string& q, const std::string& embeddings) {
    const std::string turned = writer_.transpose(q, {0, 1, 3, 2, 4});
    return writer_.transpose(writer_.matmul(turned, embeddings), {0, 1, 3, 2, 4});
  }

 private:
  LayerWriter& writer_;
  std::string module_;
  MapShape input_;
  int outputs_;
  int heads_;
  int depth_;
};

AttentionWriter attentionAt(LayerWriter& writer, const PlacedMixer& place, int heads) {
  return {writer, place.name + ".layer", place.input, place.output.channels, heads};
}

/// The same for one token.
AttentionWriter attentionOfToken(LayerWriter& writer, const PlacedMixer& place, int heads) {
  return {
      writer, place.name + ".layer", {place.input.channels, 1, 1}, place.output.channels, heads};
}

/// The positions [n, r r] of the windows around all positions, and the logits that hide those off
/// the map, whose positions are 0.
struct Windows {
  Integers positions;
  std::vector<float> hidden;
};

Windows windowsOf(const MapShape& map, int scope) {
  Windows windows;
  const int reach = scope / 2;
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
          const int row = y + dy, column = x + dx;
          const bool isOnMap = row >= 0 && row < map.height && column >= 0 && column < map.width;
          windows.positions.push_back(isOnMap ? row * map.width + column : 0);
          windows.hidden.push_back(isOnMap ? 0 : kHidden);
        }
      }
    }
  }
  return windows;
}

/// For each query and position [n, n]: `seen` up to the query, `later` after it.
std::vector<float> causalPairs(long long positions, float seen, float later) {
  std::vector<float> pairs;
  for (long long query = 0; query < positions; ++query) {
    for (long long m = 0; m < positions; ++m) pairs.push_back(m <= query ? seen : later);
  }
  return pairs;
}

/// The features elu(x) + 1 of linear attention.
std::string positive(LayerWriter& writer, const std::string& x) {
  OnnxGraph& graph = writer.graph();
  const std::string below =
      graph.add("Exp", "exp", {graph.add("Min", "below", {x, graph.scalar(0)})});
  return writer.add(below, graph.add("Relu", "above", {x}));
}

/// The weights [N, h, n, m] of causal linear attention, for features or softmax keys [N, h, n, c].
std::string causalWeights(LayerWriter& writer,
                          const LinearAttentionMixer& mixer,
                          long long n,
                          const std::string& q,
                          const std::string& k) {
  OnnxGraph& graph = writer.graph();
  if (mixer.featureMap == FeatureMap::elu) {
    const std::string products =
        writer.multiply(writer.matmul(q, writer.transpose(k, {0, 1, 3, 2})),
                        graph.constant(causalPairs(n, 1, 0), {n, n}));
    return writer.divide(products, writer.sum(products, 3));
  }
  const std::string hidden = graph.constant(causalPairs(n, 0, kHidden), {n, n, 1});
  const std::string seen = writer.softmax(writer.add(writer.unsqueeze(k, 2), hidden), 3);
  const std::string weights = writer.matmul(seen, writer.unsqueeze(q, 4));  // [N, h, n, m, 1]
  return writer.reshape(weights, {kBatch, mixer.heads, n, n}, "weights");
}

/// Attention along the rows or columns of a map.
std::string writeLineAttention(AttentionWriter& attention,
                               bool alongRows,
                               bool relative,
                               std::int64_t size,
                               const std::string& x) {
  LayerWriter& writer = attention.writer();
  const auto lines = [&](const std::string& headed) {
    const std::string placed = attention.placed(headed);
    return alongRows ? placed : writer.transpose(placed, {0, 1, 3, 2, 4});
  };
  const std::string q = lines(attention.scaledQueries(x));
  const std::string k = lines(attention.projected(x, "keys"));
  const std::string v = lines(attention.projected(x, "values"));
  std::string scores = writer.matmul(q, writer.transpose(k, {0, 1, 2, 4, 3}), "scores");
  if (relative) {
    scores = writer.add(scores,
                        attention.productsAlongSecond(q, attention.lineEmbeddings("table", size)));
  }
  std::string y = writer.matmul(writer.softmax(scores, 4), v);
  if (!alongRows) y = writer.transpose(y, {0, 1, 3, 2, 4});
  return y;
}

}  // namespace

std::string writeMixer(LayerWriter& writer,
                       const SelfAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  AttentionWriter attention = attentionAt(writer, place, mixer.heads);
  const MapShape& map = place.input;
  const std::string q = attention.scaledQueries(x);
  const std::string k = attention.projected(x, "keys");
  std::string scores = writer.matmul(q, writer.transpose(k, {0, 1, 3, 2}), "scores");
  if (mixer.relative) {
    const std::string placed = attention.placed(q);
    const std::string rows =
        attention.productsAlongFirst(placed, attention.lineEmbeddings("rowTable", map.height));
    const std::string columns =
        attention.productsAlongSecond(placed, attention.lineEmbeddings("columnTable", map.width));
    const std::string logits = writer.add(writer.unsqueeze(rows, 5), writer.unsqueeze(columns, 4));
    scores = writer.add(
        scores,
        writer.reshape(logits, {kBatch, mixer.heads, map.positions(), map.positions()}, "logits"));
  }
  if (mixer.causal) {
    const long long n = map.positions();
    scores = writer.add(scores, writer.graph().constant(causalPairs(n, 0, kHidden), {n, n}));
  }
  const std::string v = attention.projected(x, "values");
  return attention.mapOf(writer.matmul(writer.softmax(scores, 3), v));
}

std::string writeMixer(LayerWriter& writer,
                       const LocalAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  AttentionWriter attention = attentionAt(writer, place, mixer.heads);
  const MapShape& map = place.input;
  const long long n = map.positions();
  const std::int64_t scope = mixer.scope, half = attention.depth() / 2;
  const Windows windows = windowsOf(map, mixer.scope);
  const std::string q = attention.projected(x, "queries");
  const auto inWindows = [&](const char* name) {  // [N, h, n, r r, c]
    return writer.rows(attention.projected(x, name), windows.positions, 2, {n, scope * scope});
  };
  const std::string query = writer.unsqueeze(q, 3);
  std::string scores =
      writer.matmul(query, writer.transpose(inWindows("keys"), {0, 1, 2, 4, 3}), "scores");

  // The first half of a head's channels meets the row's offset, the second that of the column.
  const std::vector<std::string> halves = writer.split(q, 3, attention.depth(), 2);
  const auto products = [&](const std::string& part, const char* table) {  // [N, h, n, r]
    const std::string embeddings = attention.tensor(table, {scope, mixer.heads, half});
    return writer.matmul(part, writer.transpose(embeddings, {1, 2, 0}));
  };
  const std::string logits = writer.add(writer.unsqueeze(products(halves[0], "rowTable"), 4),
                                        writer.unsqueeze(products(halves[1], "columnTable"), 3));
  scores = writer.add(writer.reshape(scores, {kBatch, mixer.heads, n, scope * scope}),
                      writer.reshape(logits, {kBatch, mixer.heads, n, scope * scope}, "logits"));
  scores = writer.add(scores, writer.graph().constant(windows.hidden, {n, scope * scope}));
  const std::string weights = writer.unsqueeze(writer.softmax(scores, 3), 3);
  const std::string y = writer.matmul(weights, inWindows("values"));
  return attention.mapOf(writer.reshape(y, {kBatch, mixer.heads, n, attention.depth()}));
}

std::string writeMixer(LayerWriter& writer,
                       const AxialAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  const MapShape& map = place.input;
  const int outputs = place.output.channels;
  const OnnxShape headed{kBatch, mixer.heads, map.positions(), outputs / mixer.heads};
  AttentionWriter rows(writer, place.name + ".layer.rows", map, outputs, mixer.heads);
  std::string y = writeLineAttention(rows, /*alongRows=*/true, mixer.relative, map.width, x);
  y = rows.mapOf(writer.reshape(y, headed));
  const MapShape middle{outputs, map.height, map.width};
  AttentionWriter columns(writer, place.name + ".layer.columns", middle, outputs, mixer.heads);
  y = writeLineAttention(columns, /*alongRows=*/false, mixer.relative, map.height, y);
  return columns.mapOf(writer.reshape(y, headed));
}

std::string writeMixer(LayerWriter& writer,
                       const LinearAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  AttentionWriter attention = attentionAt(writer, place, mixer.heads);
  const bool isSoftmax = mixer.featureMap == FeatureMap::softmax;
  std::string q = attention.projected(x, "queries"), k = attention.projected(x, "keys");
  q = isSoftmax ? writer.softmax(q, 3) : positive(writer, q);
  if (!isSoftmax) k = positive(writer, k);
  if (mixer.causal) {
    const std::string weights = causalWeights(writer, mixer, place.input.positions(), q, k);
    return attention.mapOf(writer.matmul(weights, attention.projected(x, "values")));
  }
  if (isSoftmax) k = writer.softmax(k, 2);
  const std::string context =
      writer.matmul(writer.transpose(k, {0, 1, 3, 2}), attention.projected(x, "values"), "context");
  std::string y = writer.matmul(q, context);
  if (!isSoftmax) {
    const std::string sums = writer.transpose(writer.sum(k, 2), {0, 1, 3, 2});
    y = writer.divide(y, writer.matmul(q, sums));
  }
  return attention.mapOf(y);
}

std::string writeStep(LayerWriter& writer,
                      const SelfAttentionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state) {
  AttentionWriter attention = attentionOfToken(writer, place, mixer.heads);
  OnnxGraph& graph = writer.graph();
  const std::int64_t length = place.input.width, depth = attention.depth();
  const auto inWindow = [&](const char* name) {  // [N, h, length, c]
    return state.window(
        name, attention.projected(x, name), {kBatch, mixer.heads, length - 1, depth}, 2);
  };
  const std::string q = attention.scaledQueries(x);
  std::string scores = writer.matmul(q, writer.transpose(inWindow("keys"), {0, 1, 3, 2}), "scores");
  if (mixer.relative) {
    Integers offsets(static_cast<std::size_t>(length));
    std::iota(offsets.begin(), offsets.end(), 0);
    const std::string columns =
        writer.rows(attention.tensor("columnTable", {2 * length - 1, depth}), offsets);
    const std::string table = writer.add(columns, attention.tensor("rowTable", {1, depth}));
    scores = writer.add(scores, writer.matmul(q, writer.transpose(table, {1, 0})));
  }
  Integers distances;
  for (std::int64_t distance = length - 1; distance >= 0; --distance) distances.push_back(distance);
  const std::string position = writer.reshape(state.position(), {kBatch, 1, 1, 1}, "position");
  const std::string isSeen =
      graph.add("LessOrEqual", "seen", {graph.constant(distances, {length}), position});
  const std::string hidden =
      graph.add("Where", "hidden", {isSeen, graph.scalar(0), graph.scalar(kHidden)});
  const std::string weights = writer.softmax(writer.add(scores, hidden), 3);
  return attention.mapOf(writer.matmul(weights, inWindow("values")));
}

std::string writeStep(LayerWriter& writer,
                      const LinearAttentionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state) {
  AttentionWriter attention = attentionOfToken(writer, place, mixer.heads);
  const OnnxShape shape{kBatch, mixer.heads, attention.depth()};
  const auto ofToken = [&](const char* name) {
    return writer.reshape(attention.projected(x, name), shape, name);
  };
  const auto asRow = [&](const std::string& y) { return writer.unsqueeze(y, 2); };
  const std::string v = ofToken("values");
  if (mixer.featureMap == FeatureMap::softmax) {
    const std::string lambdas =
        state.lambdas(ofToken("keys"), v, shape, attention.depth(), KeyNormalization::softmax);
    const std::string q = writer.softmax(ofToken("queries"), 2);
    return attention.mapOf(writer.matmul(asRow(q), lambdas));
  }
  const std::string q = positive(writer, ofToken("queries"));
  const std::string k = positive(writer, ofToken("keys"));
  const std::string weights = writer.add(state.before("weights", shape), k);
  state.keep("weights", weights);
  const std::string sums = state.lambdas(k, v, shape, attention.depth(), KeyNormalization::none);
  const std::string all = writer.sum(writer.multiply(q, weights), 2);
  return attention.mapOf(writer.divide(writer.matmul(asRow(q), sums), asRow(all)));
}

std::string writeMixer(LayerWriter& writer,
                       const NonLocalMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  const MapShape& map = place.input;
  const int outputs = place.output.channels, inner = nonLocalDepth(outputs);
  const std::string module = place.name + ".layer";
  const auto projected = [&](const char* name) {
    const std::string y = writer.convolution(
        x, module + "." + name, name, {.inputs = map.channels, .outputs = inner});
    return writer.pixels(y, inner, map.positions());
  };
  const std::string q = projected("queries");
  const std::string scores =
      writer.matmul(q, writer.transpose(projected("keys"), {0, 2, 1}), "scores");
  const std::string weights =
      mixer.pairwise == PairwiseFunction::embeddedGaussian
          ? writer.softmax(scores, 2)
          : writer.multiply(scores, writer.graph().scalar(1 / static_cast<float>(map.positions())));
  const std::string sum = writer.matmul(weights, projected("values"));
  const std::string z = writer.convolution(writer.mapOf(sum, {inner, map.height, map.width}),
                                           module + ".output",
                                           "output",
                                           {.inputs = inner, .outputs = outputs});
  return map.channels == outputs ? writer.add(x, z) : z;
}

}  // namespace lambda
