#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/fields/field.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// Shares of a text, from 0 to 1; training has the rest.
struct TextShares {
  double validation = 0.05;
  double test = 0.05;

  bool operator==(const TextShares&) const = default;
};

template <Either<TextShares> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"validation", "share of the text for validation, before the test's", 0.0001, 0.4},
              {"Validation share", Stepping::hundredth},
              "A larger share measures more exactly; less is left to learn from."},
        value.validation);
  visit(Field{{"test", "share of the text for the test, at its end", 0.0001, 0.4},
              {"Test share", Stepping::hundredth},
              "A larger share measures more exactly; less is left to learn from."},
        value.test);
}

/// The bytes [begin, end) of a text.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }

  bool operator==(const ByteRange&) const = default;
};

/// The parts of a text, one behind the other. No sequence crosses a border, which may lie within a
/// line or a character.
struct TextSplit {
  ByteRange training;
  ByteRange validation;
  ByteRange test;

  bool operator==(const TextSplit&) const = default;
};

/// Splits a text of that many bytes by position: validation and test have their shares, rounded
/// down. Throws Error for shares outside their ranges.
TextSplit splitByPosition(std::uint64_t bytes, const TextShares& shares);

/// What prevents sequences of `length` bytes, each of which needs the byte behind it too: shares
/// outside their ranges, and parts that are shorter than length + 1 bytes. `path`: of the data's
/// options. length >= 1.
std::vector<Problem> splitProblems(std::uint64_t bytes,
                                   const TextShares& shares,
                                   int length,
                                   const std::string& path);

}  // namespace lambda
