#include "app/studio/commands/fuzzy_match.h"

namespace lambda {

namespace {

constexpr int kLetter = 1;
constexpr int kAdjacent = 6;
constexpr int kWordStart = 8;

bool startsWord(const QString& text, qsizetype at) {
  return at == 0 || !text[at - 1].isLetterOrNumber();
}

}  // namespace

std::optional<int> fuzzyScore(const QString& pattern, const QString& text) {
  int score = 0;
  qsizetype previous = -2;
  for (const QChar letter : pattern) {
    if (letter.isSpace()) continue;
    // The beginning of a word is preferred to the same letter inside a word, unless that letter
    // directly follows the last match.
    qsizetype found = -1;
    for (qsizetype at = previous < 0 ? 0 : previous + 1; at < text.size(); ++at) {
      if (text[at].toCaseFolded() != letter.toCaseFolded()) continue;
      if (found < 0) found = at;
      if (at == previous + 1 || startsWord(text, at)) {
        found = at;
        break;
      }
    }
    if (found < 0) return std::nullopt;
    score += kLetter;
    if (found == previous + 1) score += kAdjacent;
    if (startsWord(text, found)) score += kWordStart;
    previous = found;
  }
  return score * 100 - static_cast<int>(text.size());
}

}  // namespace lambda
