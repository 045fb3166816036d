#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/sequences/token_sequence.h"
#include "engine/values/fields/field.h"
#include "engine/values/fields/problem.h"

// Sequences that are drawn, and can only be predicted by what was seen long before. Each depends
// only on (options, seed, part, index) and has the same tokens on every platform.
namespace lambda {

/// Which of the independent series of sequences is drawn. They share a sequence only by chance: a
/// sequence is among 10^6 of another series with a chance of 10^6 / 2^64, where there are at least
/// 2^64 different ones; problemsOf() warns of options with fewer.
enum class SequencePart : std::uint8_t { training = 0, validation = 1, test = 2 };

/// Associative recall (Arora et al., "Zoology", arXiv:2312.04927, has it with the answers among the
/// tokens): pairs of a key and its value, then filler among which each key comes once again, as a
/// query. The target at a query is the value of its key; nothing else is scored.
///
/// With K = (vocabulary - 1) / 2 rounded down, token 0 is the filler, 1 to K are keys and all above
/// are values. Tokens 0 to 2 pairs - 1 are key, value, key, value, ...; the keys are different, the
/// values are drawn independently. Queries are at different places in any order, drawn with equal
/// chance from 2 pairs - 1 + minimumDistance on. So each is at least minimumDistance tokens behind
/// its value: a network that sees only the last minimumDistance tokens, the query among them, sees
/// no value at all and can't do better than chance, 1 / (vocabulary - 1 - K).
struct RecallOptions {
  int vocabulary = 64;
  int pairs = 8;
  int length = 128;  ///< At least 3 pairs - 1 + minimumDistance.
  int minimumDistance = 16;

  bool operator==(const RecallOptions&) const = default;
};

template <Either<RecallOptions> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"vocabulary", "number of tokens: filler, keys and values", 5, 65536},
              {"Vocabulary", Stepping::doubling},
              "More keys and values are harder to tell apart; each token adds a row to the "
              "embedding."},
        value.vocabulary);
  visit(Field{{"pairs", "pairs of key and value, each of which is asked for once", 1, 4096},
              {"Pairs", Stepping::doubling},
              "More pairs need more memory in the state of a network."},
        value.pairs);
  visit(Field{{"length", "tokens of a sequence", 4, 1048576},
              {"Length", Stepping::doubling, "tokens"},
              "Longer sequences ask over larger distances."},
        value.length);
  visit(Field{{"minimumDistance", "smallest distance of a query from its value", 1, 1048576},
              {"Smallest distance", Stepping::doubling, "tokens"},
              "A network that sees fewer tokens can't answer at all."},
        value.minimumDistance);
}

/// Copying: a string of length / 2 symbols, a separator, and the string again without its last
/// symbol. The target is the next symbol of the string in the second half, from the separator on;
/// the first half is not scored.
///
/// Token 0 is the separator, 1 to vocabulary - 1 are symbols, drawn independently. Each symbol is
/// predicted exactly length / 2 tokens behind its first place: a network that sees only the last
/// length / 2 tokens, its own among them, can't do better than chance, 1 / (vocabulary - 1).
struct CopyOptions {
  int vocabulary = 64;
  int length = 128;  ///< Even.

  bool operator==(const CopyOptions&) const = default;
};

template <Either<CopyOptions> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"vocabulary", "number of tokens: the separator and the symbols", 3, 65536},
              {"Vocabulary", Stepping::doubling},
              "Each token adds a row to the embedding."},
        value.vocabulary);
  visit(Field{{"length", "tokens of a sequence, twice those that are copied", 4, 1048576},
              {"Length", Stepping::doubling, "tokens"},
              "Longer strings are copied over larger distances and need more memory in the state "
              "of a network."},
        value.length);
}

/// Values outside their ranges, and those that do not fit each other; a warning where there are so
/// few different sequences that parts share some. `path`: of the options.
std::vector<Problem> problemsOf(const RecallOptions& options, const std::string& path);
std::vector<Problem> problemsOf(const CopyOptions& options, const std::string& path);

/// Throws Error if the options have problems that are not warnings.
TokenSequence drawSequence(const RecallOptions& options,
                           std::uint64_t seed,
                           SequencePart part,
                           std::uint64_t index);
TokenSequence drawSequence(const CopyOptions& options,
                           std::uint64_t seed,
                           SequencePart part,
                           std::uint64_t index);

}  // namespace lambda
