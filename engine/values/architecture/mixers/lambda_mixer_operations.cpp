#include <algorithm>
#include <utility>

#include "engine/values/architecture/mixers/lambda_mask.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

namespace {

/// The operations of one lambda layer, in the notation of the paper. The lambdas are counted as
/// they are written there, whatever order the layer computes them in: the paper's FLOPs follow from
/// that (tables 10 and 11).
class LambdaOperations {
 public:
  LambdaOperations(OperationList& list, const LambdaMixer& mixer, const PlacedMixer& place)
      : list_(list),
        mixer_(mixer),
        place_(place),
        n_(static_cast<double>(place.input.positions())),
        d_(place.input.channels),
        k_(mixer.queryDepth),
        h_(mixer.heads),
        u_(mixer.intraDepth),
        v_(place.output.channels / std::max(1, mixer.heads)),
        lambdas_(mixer.multiHead ? mixer.heads : 1) {}

  int addTo(int input) {
    const int queries = addQueries(input);
    const int keys = mixer_.content ? addKeys(input) : -1;
    const int values = addValues(input);
    const int content = mixer_.content ? addContent(queries, keys, values) : -1;
    const bool hasPositions = mixer_.embedding != PositionEmbedding::none;
    const int position = hasPositions ? addPositions(queries, values) : -1;
    std::vector<int> parts;
    for (const int part : {content, position}) {
      if (part >= 0) parts.push_back(part);
    }
    return list_.add({.name = "output",
                      .equation = "y_n = λ_n^T q_n = (λ^c + λ^p_n)^T q_n",
                      .meaning =
                          "Adds what content and positions give and joins the h heads to the "
                          "output channels (equation 2).",
                      .axes = "H×W×d",
                      .output = map(static_cast<double>(place_.output.channels)),
                      .inputs = std::move(parts),
                      .activationBytes = bytes(n_ * place_.output.channels)});
  }

 private:
  std::vector<long long> map(double channels) const {
    return {place_.input.height, place_.input.width, countOf(channels)};
  }

  static long long bytes(double values) { return countOf(kFloatBytes * values); }

  int addProjection(std::string name,
                    std::string_view equation,
                    std::string_view meaning,
                    std::string_view axes,
                    double channels,
                    int input) {
    return list_.add({.name = std::move(name),
                      .equation = equation,
                      .meaning = meaning,
                      .axes = axes,
                      .output = map(channels),
                      .inputs = {input},
                      .parameters = countOf(d_ * channels),
                      .flops = countOf(2 * n_ * d_ * channels),
                      .activationBytes = bytes(n_ * channels)});
  }

  int addNormOf(
      std::string name, std::string_view equation, double channels, double groups, int input) {
    return list_.add({.name = std::move(name),
                      .equation = equation,
                      .meaning = mixer_.normAxes == NormAxes::channels
                                     ? "Batch norm of each channel; without it on queries and "
                                       "values the paper lost 2.2 points of accuracy (table 12)."
                                     : "Batch norm of each of the k query depths, or of each "
                                       "position of the values, as TU Delft published it.",
                      .axes = "H×W×C",
                      .output = map(channels),
                      .inputs = {input},
                      .parameters = countOf(2 * groups),
                      .activationBytes = bytes(n_ * channels)});
  }

  int addQueries(int input) {
    int queries =
        addProjection("queries",
                      "q^h_n = W_Q^h x_n",
                      "What each position asks for: a vector of k numbers for each of the h heads.",
                      "H×W×hk",
                      h_ * k_,
                      input);
    if (mixer_.normalizeQueries) {
      const double groups = mixer_.normAxes == NormAxes::channels ? h_ * k_ : k_;
      queries = addNormOf("query norm", "q ← γ (q − μ) / σ + β", h_ * k_, groups, queries);
    }
    if (!mixer_.softmaxQueries) return queries;
    return list_.add({.name = "softmax of queries",
                      .equation = "q_n ← exp(q_n) / Σ_k exp(q_n)",
                      .meaning = "Turns the k numbers of each query into weights that add up to 1; "
                                 "with it the paper lost 0.3 points (table 12).",
                      .axes = "H×W×hk",
                      .output = map(h_ * k_),
                      .inputs = {queries},
                      .activationBytes = bytes(n_ * h_ * k_)});
  }

  int addKeys(int input) {
    const double channels = lambdas_ * u_ * k_;
    const int keys =
        addProjection("keys",
                      "k_m = W_K x_m",
                      "What each position of the context offers: k numbers, in u columns.",
                      "H×W×uk",
                      channels,
                      input);
    if (mixer_.mask != ContextMask::none) return addMaskedKeys(channels, keys);
    switch (mixer_.keyNormalization) {
      case KeyNormalization::softmax:
        return addKeyNorm("softmax of keys",
                          "k̄_m = exp(k_m) / Σ_j exp(k_j)",
                          "Turns each key channel into weights over all positions that add up "
                          "to 1; without it the paper lost 8.4 points (table 12).",
                          channels,
                          keys);
      case KeyNormalization::l2:
        return addKeyNorm("2-norm of keys",
                          "k̄_m = k_m / (Σ_j k_j^2)^{1/2}",
                          "Scales each key channel to the length 1 over all positions; the paper "
                          "lost 0.4 points with it in place of the softmax (table 12).",
                          channels,
                          keys);
      case KeyNormalization::none:
        break;
    }
    return keys;
  }

  int addKeyNorm(std::string name,
                 std::string_view equation,
                 std::string_view meaning,
                 double channels,
                 int keys) {
    return list_.add({.name = std::move(name),
                      .equation = equation,
                      .meaning = meaning,
                      .axes = "H×W×uk",
                      .output = map(channels),
                      .inputs = {keys},
                      .activationBytes = bytes(n_ * channels)});
  }

  int addMaskedKeys(double channels, int keys) {
    std::string_view equation = "k̄_{nm} = k_m, m ∈ C_n";
    switch (mixer_.keyNormalization) {
      case KeyNormalization::softmax:
        equation = "k̄_{nm} = exp(k_m) / Σ_j exp(k_j), j ∈ C_n";
        break;
      case KeyNormalization::l2:
        equation = "k̄_{nm} = k_m / (Σ_j k_j^2)^{1/2}, j ∈ C_n";
        break;
      case KeyNormalization::none:
        break;
    }
    return list_.add({.name = "masked keys",
                      .equation = equation,
                      .meaning = "Each query sees its own context, over which the keys are "
                                 "normalised; those that it does not see are 0 (appendix B.2).",
                      .axes = "n×m×uk",
                      .output = {countOf(n_), countOf(n_), countOf(channels)},
                      .inputs = {keys},
                      .activationBytes = bytes(n_ * n_ * channels)});
  }

  int addValues(int input) {
    const double channels = lambdas_ * u_ * v_;
    const int values = addProjection(
        "values",
        "v_m = W_V x_m",
        "What each position of the context passes on: v = d / h channels, in u columns.",
        "H×W×uv",
        channels,
        input);
    if (!mixer_.normalizeValues) return values;
    const double groups = mixer_.normAxes == NormAxes::channels ? channels : n_;
    return addNormOf("value norm", "v ← γ (v − μ) / σ + β", channels, groups, values);
  }

  int addContent(int queries, int keys, int values) {
    const bool isMasked = mixer_.mask != ContextMask::none;
    const int lambda =
        isMasked ? list_.add({.name = "content lambdas",
                              .equation = "λ^c_n = Σ_m k̄_{nm} v_m^T",
                              .meaning = "Sums the context of each position into a matrix of its "
                                         "own, because each sees another context (appendix B.2).",
                              .axes = "n×k×v",
                              .output = {countOf(n_), countOf(lambdas_ * k_), countOf(v_)},
                              .inputs = {keys, values},
                              .flops = lambdaFlops(seenPairs(mixer_, place_.input)),
                              .activationBytes = bytes(n_ * n_ * u_ * h_)})
                 : list_.add({.name = "content lambda",
                              .equation = "λ^c = Σ_m k̄_m v_m^T",
                              .meaning = "Sums the context into one matrix that all queries of the "
                                         "image share (equation 1).",
                              .axes = "k×v",
                              .output = {countOf(lambdas_ * k_), countOf(v_)},
                              .inputs = {keys, values},
                              .flops = lambdaFlops(n_)});
    return list_.add({.name = "content output",
                      .equation = isMasked ? "y^c_n = (λ^c_n)^T q_n" : "y^c_n = (λ^c)^T q_n",
                      .meaning = "Applies the content lambda to every query.",
                      .axes = "H×W×d",
                      .output = map(h_ * v_),
                      .inputs = {queries, lambda},
                      .flops = countOf(2 * n_ * h_ * k_ * v_)});
  }

  int addPositions(int queries, int values) {
    const auto rows = static_cast<double>(embeddingRows(mixer_, place_.input));
    const double depth = lambdas_ * u_ * k_;
    const bool isOwner = list_.isFirstUse(mixer_.sharedEmbeddings);
    const int table = list_.add(
        {.name = isOwner ? "position embeddings" : "shared embeddings",
         .equation = mixer_.embedding == PositionEmbedding::relative ? "e_{nm} = R_{m−n}"
                                                                     : "e_{nm} = E_{nm}",
         .meaning = isOwner ? "A learned table with k numbers, in u columns, for each place "
                              "of the context relative to the query."
                            : "The table of an earlier place, where its parameters count.",
         .axes = "rows×uk",
         .output = {countOf(rows), countOf(depth)},
         .parameters = isOwner ? countOf(rows * depth) : 0});
    const bool keepsLambdas = keepsPositionLambdas(mixer_, place_.input);
    const int lambdas = list_.add(
        {.name = "position lambdas",
         .equation = "λ^p_n = Σ_m e_{nm} v_m^T",
         .meaning = keepsLambdas
                        ? "One matrix for each position, from the window around it: a convolution "
                          "of the values with the embeddings (section 3.4)."
                        : "One matrix for each position (equation 1). The layer applies each "
                          "embedding to the query first, which gives the same sum without storing "
                          "the matrices.",
         .axes = "n×k×v",
         .output = {countOf(n_), countOf(lambdas_ * k_), countOf(v_)},
         .inputs = {table, values},
         .flops = lambdaFlops(embeddedPairs(mixer_, place_.input)),
         .activationBytes = keepsLambdas ? bytes(n_ * k_ * v_) : 0});
    return list_.add({.name = "position output",
                      .equation = "y^p_n = (λ^p_n)^T q_n",
                      .meaning = "Applies the position lambda of each position to its query.",
                      .axes = "H×W×d",
                      .output = map(h_ * v_),
                      .inputs = {queries, lambdas},
                      .flops = countOf(2 * n_ * h_ * k_ * v_)});
  }

  /// Of sums of k x v matrices, one for each pair and intra-depth, into all lambdas.
  long long lambdaFlops(double pairs) const { return countOf(2 * pairs * lambdas_ * u_ * k_ * v_); }

  OperationList& list_;
  const LambdaMixer& mixer_;
  const PlacedMixer& place_;
  double n_;  ///< Positions of the map.
  double d_;  ///< Channels of the input.
  double k_;
  double h_;
  double u_;
  double v_;
  double lambdas_;  ///< Of a position: h in a multi-head layer, else 1.
};

}  // namespace

long long embeddingRows(const LambdaMixer& mixer, const MapShape& map) {
  switch (mixer.embedding) {
    case PositionEmbedding::none:
      return 0;
    case PositionEmbedding::absolute:
      return map.positions() * map.positions();
    case PositionEmbedding::relative:
      if (mixer.scope > 0) return static_cast<long long>(mixer.scope) * mixer.scope;
      return (2LL * map.height - 1) * (2LL * map.width - 1);
  }
  return 0;
}

int addOperations(OperationList& list,
                  const LambdaMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  return LambdaOperations(list, mixer, place).addTo(input);
}

}  // namespace lambda
