#pragma once

#include <string_view>

namespace lambda {

struct MapShape;
struct PlacedMixer;
class MixerCheck;
class OperationList;

// Each kind of mixer has a header in this folder with its struct of options, TraitsOf<> and
// visitFields() of it, and the declarations of two functions:
//   addOperations(list, mixer, place, input)   adds the operations of the mixer, which end with its
//       result before any pooling for the stride, and returns the index of the last one; a norm
//       follows in every block. See operations.h.
//   checkOptions(check, mixer, place)   reports options that do not go together, or not with the
//       maps of the mixer's place. Their ranges have been checked. See mixer_check.h.

/// What an inspection shows of a mixer for one image and one query position.
enum class InspectedAs {
  nothing,
  lambdas,    ///< Its lambda, its keys and embeddings, and how much each position contributes.
  attention,  ///< The weight of each position for the query.
  gates,      ///< One weight for each position, whatever the query.
};

/// The properties, besides their options, in which the kinds of mixers differ. No other code tests
/// the kind of a mixer to find them out.
struct MixerTraits {
  std::string_view kind;     ///< The value of "kind" in JSON and in cost tables.
  std::string_view name;     ///< "lambda layer"
  std::string_view plural;   ///< "lambda layers"
  std::string_view meaning;  ///< One line on what it is.
  char letter = '?';         ///< Its letter in patternOf(), and its key in the editor.
  /// Whether it can compute only every second position, as a bottleneck with stride 2 requires. A
  /// mixer that can't is followed by average pooling (LambdaNetworks, appendix E.1).
  bool supportsStride = false;
  /// Whether the plain family always adds a shortcut around it.
  bool needsShortcut = false;
  InspectedAs inspectedAs = InspectedAs::nothing;
  /// Whether no position sees a later one, row by row, whatever the options. Kinds with an option
  /// `causal` or `mask` can be causal too.
  bool isCausal = false;
  /// How many times as many channels its output has as its queries and its values.
  int bottleneck = 1;
};

/// The traits of one kind. There is no primary definition: a kind without traits does not compile.
template <class M>
struct TraitsOf;

// Hints of options that several kinds have.
inline constexpr const char* kHeadsHint =
    "More heads make the lambda smaller: fewer value parameters and FLOPs, more query parameters, "
    "less expressive. The paper recommends values such as 4: with k = 16 it gave 78.4 % and 8 gave "
    "78.1 %; with k = 2, 4 and 32, 8 gave 0.1 to 0.4 points more (table 9).";
inline constexpr const char* kKernelSizeHint =
    "A larger window sees farther in one layer; parameters and FLOPs grow with its area.";
inline constexpr const char* kRelativeHint =
    "Where things are. Without it, attention sees a set of positions without an order.";
inline constexpr const char* kCausalHint =
    "A network that predicts the next token must not see it: every position sees itself and those "
    "before it.";

}  // namespace lambda
