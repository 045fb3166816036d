#include <algorithm>
#include <utility>

#include "engine/values/architecture/operation_list.h"
#include "engine/values/architecture/position_path.h"

namespace lambda {

namespace {

int addMixer(OperationList& list,
             const ConvolutionMixer& mixer,
             const BlockPlan& block,
             int input) {
  return list.addConvolution(input, block.mixerInput.channels, mixer.kernelSize, block.mixerOutput);
}

int addMixer(OperationList& list,
             const DepthwiseConvolutionMixer& mixer,
             const BlockPlan& block,
             int input) {
  const int channels = block.mixerInput.channels;
  MapShape between = block.mixerOutput;
  between.channels = channels;
  const int mixed = list.addConvolution(input, channels, mixer.kernelSize, between, channels);
  if (channels == block.mixerOutput.channels) return mixed;
  return list.addConvolution(mixed, channels, 1, block.mixerOutput);
}

/// The operations of one lambda layer, in the notation of the paper.
class LambdaOperations {
 public:
  LambdaOperations(OperationList& list, const LambdaMixer& mixer, const BlockPlan& block)
      : list_(list),
        mixer_(mixer),
        block_(block),
        n_(static_cast<double>(block.mixerInput.positions())),
        d_(block.mixerInput.channels),
        k_(mixer.queryDepth),
        h_(mixer.heads),
        u_(mixer.intraDepth),
        v_(block.mixerOutput.channels / std::max(1, mixer.heads)) {}

  int addTo(int input) {
    const int queries = addQueries(input);
    const int keys = mixer_.content ? addKeys(input) : -1;
    const int values = addValues(input);
    const int content = mixer_.content ? addContent(queries, keys, values) : -1;
    const PositionPath path =
        positionPathOf(mixer_, block_.mixerInput, block_.mixerOutput.channels);
    const int position = path == PositionPath::none ? -1 : addPositions(path, queries, values);
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
                      .output = map(static_cast<double>(block_.mixerOutput.channels)),
                      .inputs = std::move(parts),
                      .activationBytes = bytes(n_ * block_.mixerOutput.channels)});
  }

 private:
  std::vector<long long> map(double channels) const {
    return {block_.mixerInput.height, block_.mixerInput.width, countOf(channels)};
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

  int addNormOf(std::string name, std::string_view equation, double channels, int input) {
    return list_.add({.name = std::move(name),
                      .equation = equation,
                      .meaning = "Batch norm of each channel; without it on queries and values the "
                                 "paper lost 2.2 points of accuracy (table 12).",
                      .axes = "H×W×C",
                      .output = map(channels),
                      .inputs = {input},
                      .parameters = countOf(2 * channels),
                      .activationBytes = bytes(n_ * channels)});
  }

  int addQueries(int input) {
    const int queries =
        addProjection("queries",
                      "q^h_n = W_Q^h x_n",
                      "What each position asks for: a vector of k numbers for each of the h heads.",
                      "H×W×hk",
                      h_ * k_,
                      input);
    if (!mixer_.normalizeQueries) return queries;
    return addNormOf("query norm", "q ← γ (q − μ) / σ + β", h_ * k_, queries);
  }

  int addKeys(int input) {
    const int keys =
        addProjection("keys",
                      "k_m = W_K x_m",
                      "What each position of the context offers: k numbers, in u columns.",
                      "H×W×uk",
                      u_ * k_,
                      input);
    return list_.add({.name = "softmax of keys",
                      .equation = "k̄_m = exp(k_m) / Σ_j exp(k_j)",
                      .meaning =
                          "Turns each key channel into weights over all positions that add up "
                          "to 1; without it the paper lost 8.4 points (table 12).",
                      .axes = "H×W×uk",
                      .output = map(u_ * k_),
                      .inputs = {keys},
                      .activationBytes = bytes(n_ * u_ * k_)});
  }

  int addValues(int input) {
    const int values = addProjection(
        "values",
        "v_m = W_V x_m",
        "What each position of the context passes on: v = d / h channels, in u columns.",
        "H×W×uv",
        u_ * v_,
        input);
    if (!mixer_.normalizeValues) return values;
    return addNormOf("value norm", "v ← γ (v − μ) / σ + β", u_ * v_, values);
  }

  int addContent(int queries, int keys, int values) {
    const int lambda = list_.add(
        {.name = "content lambda",
         .equation = "λ^c = Σ_m k̄_m v_m^T",
         .meaning = "Sums the context into one matrix that all queries of the image share "
                    "(equation 1).",
         .axes = "k×v",
         .output = {countOf(k_), countOf(v_)},
         .inputs = {keys, values},
         .flops = countOf(2 * n_ * u_ * k_ * v_)});
    return list_.add({.name = "content output",
                      .equation = "y^c_n = (λ^c)^T q_n",
                      .meaning = "Applies the content lambda to every query.",
                      .axes = "H×W×d",
                      .output = map(h_ * v_),
                      .inputs = {queries, lambda},
                      .flops = countOf(2 * n_ * h_ * k_ * v_)});
  }

  int addPositions(PositionPath path, int queries, int values) {
    const auto rows = static_cast<double>(embeddingRows(mixer_, block_.mixerInput));
    const bool isOwner = list_.isFirstUse(mixer_.sharedEmbeddings);
    const int table = list_.add(
        {.name = isOwner ? "position embeddings" : "shared embeddings",
         .equation = mixer_.embedding == PositionEmbedding::relative ? "e_{nm} = R_{m−n}"
                                                                     : "e_{nm} = E_{nm}",
         .meaning = isOwner ? "A learned table with k numbers, in u columns, for each place "
                              "of the context relative to the query."
                            : "The table of an earlier block, where its parameters count.",
         .axes = "rows×uk",
         .output = {countOf(rows), countOf(u_ * k_)},
         .parameters = isOwner ? countOf(rows * u_ * k_) : 0});
    if (path == PositionPath::convolution) return addLambdaConvolution(table, queries, values);
    const int scores =
        list_.add({.name = "position scores",
                   .equation = "s_{nm} = q_n^T e_{nm}",
                   .meaning = "The queries meet the embeddings first: the same sum as with the "
                              "position lambda, without storing a lambda for each position.",
                   .axes = "n×um×h",
                   .output = {countOf(n_), countOf(u_ * n_), countOf(h_)},
                   .inputs = {queries, table},
                   .flops = countOf(2 * n_ * n_ * u_ * h_ * k_)});
    return list_.add({.name = "position lambda",
                      .equation = "y^p_n = Σ_m s_{nm} v_m = (Σ_m e_{nm} v_m^T)^T q_n",
                      .meaning = "Applies the position lambda λ^p_n, a matrix of its own for every "
                                 "position n, to the query there (equation 1).",
                      .axes = "H×W×d",
                      .output = map(h_ * v_),
                      .inputs = {scores, values},
                      .flops = countOf(2 * n_ * n_ * u_ * h_ * v_)});
  }

  int addLambdaConvolution(int table, int queries, int values) {
    const double scope = mixer_.scope;
    const int lambdas = list_.add(
        {.name = "position lambdas",
         .equation = "λ^p_n = Σ_m e_{nm} v_m^T",
         .meaning = "One matrix for each position, from the window around it: a convolution "
                    "of the values with the embeddings (section 3.4).",
         .axes = "n×k×v",
         .output = {countOf(n_), countOf(k_), countOf(v_)},
         .inputs = {table, values},
         .flops = countOf(2 * n_ * scope * scope * u_ * k_ * v_),
         .activationBytes = bytes(n_ * k_ * v_)});
    return list_.add({.name = "position output",
                      .equation = "y^p_n = (λ^p_n)^T q_n",
                      .meaning = "Applies the position lambda of each position to its query.",
                      .axes = "H×W×d",
                      .output = map(h_ * v_),
                      .inputs = {queries, lambdas},
                      .flops = countOf(2 * n_ * h_ * k_ * v_)});
  }

  OperationList& list_;
  const LambdaMixer& mixer_;
  const BlockPlan& block_;
  double n_;  ///< Positions of the map.
  double d_;  ///< Channels of the input.
  double k_;
  double h_;
  double u_;
  double v_;
};

int addMixer(OperationList& list, const LambdaMixer& mixer, const BlockPlan& block, int input) {
  return LambdaOperations(list, mixer, block).addTo(input);
}

}  // namespace

int addMixerOperations(OperationList& list, const BlockPlan& block, int input) {
  return std::visit([&](const auto& mixer) { return addMixer(list, mixer, block, input); },
                    block.options.mixer);
}

}  // namespace lambda
