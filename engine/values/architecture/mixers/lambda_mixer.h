#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/values/architecture/mixers/mixer_kind.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// How context positions m enter the lambda of query position n (paper, sections 3.1 and 3.3).
enum class PositionEmbedding {
  relative,  ///< e_nm depends on m - n alone: translation-equivariant (section 3.3).
  absolute,  ///< A free vector for every pair (n, m); ties the layer to one map size.
  none,      ///< No position lambda: the content-only layer.
};

template <>
inline constexpr EnumNames<3> kNamesOf<PositionEmbedding>{{"relative", "absolute", "none"}};

/// How the keys of a lambda layer are normalised over the context (paper, table 12).
enum class KeyNormalization {
  softmax,  ///< Weights that add up to 1 over the context.
  l2,       ///< Each key channel has the 2-norm 1 over the context.
  none,
};

template <>
inline constexpr EnumNames<3> kNamesOf<KeyNormalization>{{"softmax", "l2", "none"}, {"", "L2", ""}};

/// Which context positions a query sees (paper, appendix B.2).
enum class ContextMask {
  none,    ///< All, within the scope.
  causal,  ///< Itself and those before it, row by row.
  custom,  ///< Those that a mask names.
};

template <>
inline constexpr EnumNames<3> kNamesOf<ContextMask>{{"none", "causal", "custom"}};

/// How a map [d, H, W] becomes n tokens of d values.
enum class TokenOrder {
  pixels,  ///< A token is a position with its d channels.
  /// A token is a run of d values of the map in channel-major order, so that it mixes positions of
  /// one or several channels: what a reshape without a transpose does. As the TU Delft reproduction
  /// was published.
  channelRuns,
};

template <>
inline constexpr EnumNames<2> kNamesOf<TokenOrder>{{"pixels", "channelRuns"}, {"", "Channel runs"}};

/// The values that share a mean and a scale in the batch norms of queries and values.
enum class NormAxes {
  channels,  ///< A channel has its own.
  /// Values: a position has its own. Queries: each of the k depths, over all heads. As the TU Delft
  /// reproduction was published; ties the layer to one map size.
  positions,
};

template <>
inline constexpr EnumNames<2> kNamesOf<NormAxes>{{"channels", "positions"},
                                                 {"Channel", "Position"}};

/// The lambda layer of LambdaNetworks (Bello, ICLR 2021), multi-query (section 3.2) or
/// multi-head (appendix B.3), with intra-depth (appendix B.4). Defaults are the paper's (appendix
/// E.1), except for the scope.
struct LambdaMixer {
  int queryDepth = 16;  ///< k
  int heads = 4;        ///< h: queries that share one lambda; divides the output depth d.
  int intraDepth = 1;   ///< u
  int scope = 0;        ///< r: side of the local window of positions, odd; 0 = global.
  PositionEmbedding embedding = PositionEmbedding::relative;
  bool content = true;  ///< With the content lambda; false = position only.
  /// Each head has its own keys, values and embeddings; otherwise all heads share one lambda.
  bool multiHead = false;
  KeyNormalization keyNormalization = KeyNormalization::softmax;
  bool softmaxQueries = false;    ///< Softmax of each head's query over its depth (table 12).
  bool normalizeQueries = true;   ///< Batch norm on the queries (section 3.1).
  bool normalizeValues = true;    ///< Batch norm on the values (section 3.1).
  double embeddingDeviation = 1;  ///< Standard deviation of the initial embeddings; the paper's: 1.
  ContextMask mask = ContextMask::none;
  /// The custom mask: a row of n characters for each of the n queries, "1" for a position that the
  /// query sees and "0" for another, with spaces between rows. A single row is that of all queries.
  std::string maskRows;
  TokenOrder tokenOrder = TokenOrder::pixels;
  NormAxes normAxes = NormAxes::channels;
  std::string sharedEmbeddings;  ///< Layers with the same non-empty name share embeddings.

  bool operator==(const LambdaMixer&) const = default;
};

template <>
struct TraitsOf<LambdaMixer> {
  static constexpr MixerTraits value{
      .kind = "lambda",
      .name = "lambda layer",
      .plural = "lambda layers",
      .meaning = "the lambda layer of LambdaNetworks (Bello, ICLR 2021)",
      .letter = 'L',
      .needsShortcut = true,
      .inspectedAs = InspectedAs::lambdas};
};

template <Either<LambdaMixer> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"k", "query depth: rows of the lambda matrix", 1, 256},
              {"Query depth k", Stepping::doubling},
              "The size of each lambda: cost and memory grow linearly. In the paper 8 gave 77.9 %, "
              "16 gave 78.4 % and 32 no more (h = 4, table 9)."},
        value.queryDepth);
  visit(Field{{"h", "heads: queries that share one lambda; divides the width", 1, 256},
              {"Heads h", Stepping::doubling},
              kHeadsHint},
        value.heads);
  visit(Field{{"u", "intra-depth: keys, embeddings and values become matrices of u columns", 1, 64},
              {"Intra-depth u", Stepping::doubling},
              "Multiplies keys, values and embeddings by u. In the paper 4 gained 0.5 points "
              "(table 3), but 1 was best at equal speed (appendix B.4)."},
        value.intraDepth);
  visit(Field{{"scope", "side r of the local window of positions, odd; 0 = global", 0, 255},
              {"Scope r", Stepping::odd, "px", "global"},
              "How far positions reach; content always sees all. In the paper 3 gave 77.6 %, 7 "
              "gave 78.2 %, and from 15 on it no longer grew; FLOPs do (table 11)."},
        value.scope);
  visit(Field{{"embedding", "position embeddings: relative, absolute or none"},
              {"Positions"},
              "Where things are: without positions the paper fell from 78.4 % to 68.8 % (table "
              "10). Relative tables are small and shift with the image; absolute ones grow with "
              "the square of the positions."},
        value.embedding);
  visit(Field{{"content", "with the content lambda; false = position only"},
              {"Content lambda"},
              "What things are: in the paper it added 0.3 points to positions alone (table 10), "
              "for less than 1 % of the FLOPs. Without it there are no keys."},
        value.content);
  visit(Field{{"multiHead", "each head has its own keys, values and embeddings"},
              {"Multi-head"},
              "Each head sums a lambda of its own: h times the parameters and FLOPs of keys, "
              "values and embeddings. The paper finds heads that share one lambda the better "
              "bargain (appendix B.3)."},
        value.multiHead);
  visit(Field{{"keyNormalization", "of keys over the context: softmax, l2 or none"},
              {"Key normalisation"},
              "In the paper softmax gave 78.4 %, L2 78.0 % and none 70.0 % (table 12)."},
        value.keyNormalization);
  visit(Field{{"softmaxQueries", "softmax of each query over its depth"},
              {"Softmax on queries"},
              "In the paper it lost 0.3 points (table 12). Together with softmax on keys it makes "
              "the content lambda linear attention."},
        value.softmaxQueries);
  visit(Field{{"normalizeQueries", "batch norm on the queries"},
              {"Query BatchNorm"},
              "Steadier training for two values per channel. Without norms on queries and values "
              "the paper fell from 78.4 % to 76.2 % (table 12)."},
        value.normalizeQueries);
  visit(Field{{"normalizeValues", "batch norm on the values"},
              {"Value BatchNorm"},
              "Steadier training for two values per channel. Without norms on queries and values "
              "the paper fell from 78.4 % to 76.2 % (table 12)."},
        value.normalizeValues);
  visit(Field{{"embeddingDeviation",
               "standard deviation of the initial position embeddings; the paper's: 1",
               0,
               100},
              {"Initial deviation", Stepping::oneTwoFive},
              "How strong positions are at the start. With the paper's 1, short trainings hardly "
              "change the embeddings, and content is a small part of the output."},
        value.embeddingDeviation);
  visit(Field{{"mask", "which context a query sees: none (all), causal or custom"},
              {"Context mask"},
              "What a query may see. Keys are normalised over what it sees (paper, appendix B.2)."},
        value.mask);
  visit(Field{{"maskRows",
               "the custom mask: for each query a row of 1 (seen) and 0, with spaces between rows"},
              {"Mask rows"},
              "Which positions each query sees, where the mask is custom."},
        value.maskRows);
  visit(Field{{"tokenOrder", "a token is a pixel (pixels) or a run of one channel (channelRuns)"},
              {"Token order"},
              "Channel runs mix positions of a channel instead of pixels. It is there to repeat "
              "the TU Delft reproduction as it was published."},
        value.tokenOrder);
  visit(Field{{"normAxes", "batch norms are per channel (channels) or per position (positions)"},
              {"Norms per"},
              "Norms per position tie the layer to one map size. It is there to repeat the TU "
              "Delft reproduction as it was published."},
        value.normAxes);
  visit(
      Field{{"sharedEmbeddings", "layers with the same name here share their embeddings"},
            {"Position table"},
            "One table for several blocks saves its parameters in all but the first. In the paper, "
            "sharing within the network cut memory to a third and cost 0.4 points (table 4)."},
      value.sharedEmbeddings);
}

/// Number of rows of the learned position embedding table, each k x u values: (2H-1)(2W-1) relative
/// global, r^2 relative local, n m absolute, 0 without position lambda.
long long embeddingRows(const LambdaMixer& mixer, const MapShape& map);

int addOperations(OperationList& list,
                  const LambdaMixer& mixer,
                  const PlacedMixer& place,
                  int input);

void checkOptions(MixerCheck& check, const LambdaMixer& mixer, const PlacedMixer& place);

}  // namespace lambda
