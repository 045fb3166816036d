#pragma once

#include <string>
#include <vector>

#include "engine/values/fields/field.h"
#include "engine/values/fields/problem.h"

// The kinds of data whose examples are sequences of tokens, beside those of images in
// data_source.h.
namespace lambda {

/// Bytes of a text, each predicted from those before it: training, validation and test are parts of
/// the text, one behind the other (TextShares).
struct TextSource {
  static constexpr int vocabulary = 256;  ///< Every byte is a token.

  std::string path = "text";  ///< A file, or a folder of files.
  int length = 256;           ///< Bytes of a sequence.
  int trainCount = 0;         ///< Sequences of an epoch; 0: as many as lie side by side.

  bool operator==(const TextSource&) const = default;
};

template <Either<TextSource> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"path", "text file, or folder of text files"}, {"Place"}, "The text."}, value.path);
  visit(Field{{"length", "bytes of a sequence", 1, 1048576},
              {"Length", Stepping::doubling, "tokens"},
              "Longer sequences let a network use what stands further back; time and memory grow "
              "with the length."},
        value.length);
  visit(Field{{"trainCount",
               "sequences of an epoch, at places drawn anew; 0 = as many as the part for training "
               "has side by side",
               0,
               10000000},
              {"Sequences per epoch", Stepping::oneTwoFive, "", "whole text"},
              "A short epoch is scored, saved and shown more often. The same number of epochs then "
              "sees less of the text."},
        value.trainCount);
}

/// How many sequences are drawn. An epoch of training has trainCount, each epoch others; those for
/// validation and test are always the same.
template <class Value, class Visit>
void visitDrawnCounts(Value& value, Visit&& visit) {
  visit(Field{{"trainCount", "sequences of an epoch; each epoch draws others", 1, 10000000},
              {"Training sequences", Stepping::oneTwoFive},
              "More sequences make an epoch longer."},
        value.trainCount);
  visit(Field{{"validationCount", "sequences drawn for validation", 1, 1000000},
              {"Validation sequences", Stepping::oneTwoFive},
              "More sequences measure the accuracy more exactly; no effect on training."},
        value.validationCount);
  visit(Field{{"testCount", "sequences drawn for the test set", 1, 1000000},
              {"Test sequences", Stepping::oneTwoFive},
              "More sequences measure the accuracy more exactly; no effect on training."},
        value.testCount);
}

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
struct RecallSource {
  int vocabulary = 64;
  int pairs = 8;
  int length = 128;  ///< At least 3 pairs - 1 + minimumDistance.
  int minimumDistance = 16;
  int trainCount = 12000;
  int validationCount = 1000;
  int testCount = 2000;

  bool operator==(const RecallSource&) const = default;

  int keys() const { return (vocabulary - 1) / 2; }

  /// The first place at which a query may be.
  int firstQuery() const { return 2 * pairs - 1 + minimumDistance; }
};

template <Either<RecallSource> Value, class Visit>
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
  visitDrawnCounts(value, visit);
}

/// Copying: a string of length / 2 symbols, a separator, and the string again without its last
/// symbol. The target is the next symbol of the string in the second half, from the separator on;
/// the first half is not scored.
///
/// Token 0 is the separator, 1 to vocabulary - 1 are symbols, drawn independently. Each symbol is
/// predicted exactly length / 2 tokens behind its first place: a network that sees only the last
/// length / 2 tokens, its own among them, can't do better than chance, 1 / (vocabulary - 1).
struct CopySource {
  int vocabulary = 64;
  int length = 128;  ///< Even.
  int trainCount = 12000;
  int validationCount = 1000;
  int testCount = 2000;

  bool operator==(const CopySource&) const = default;
};

template <Either<CopySource> Value, class Visit>
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
  visitDrawnCounts(value, visit);
}

/// Values outside their ranges, and those that do not fit each other; a warning where there are so
/// few different sequences that parts share some. `path`: of the options.
std::vector<Problem> problemsOf(const RecallSource& source, const std::string& path);
std::vector<Problem> problemsOf(const CopySource& source, const std::string& path);

/// Of a text only the values: whether it is long enough is known once it was read.
std::vector<Problem> problemsOf(const TextSource& source, const std::string& path);

}  // namespace lambda
