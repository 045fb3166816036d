#include "engine/values/run/curve.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace lambda {

namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The words of a name in lower case: "val/topError_rmse" has val, top, error and rmse.
std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool wasLower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = std::isupper(byte) != 0 && wasLower;
    wasLower = std::islower(byte) != 0;
    if (begins || std::isalpha(byte) == 0) words.emplace_back();
    if (std::isalpha(byte) != 0) words.back() += static_cast<char>(std::tolower(byte));
  }
  return words;
}

}  // namespace

bool isLowGood(std::string_view name) {
  const std::vector<std::string> words = wordsOf(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    const bool endsLikeOne = word.ends_with("loss") || word.ends_with("losses") ||
                             word.ends_with("error") || word.ends_with("errors");
    return endsLikeOne ||
           isOneOf(word, {"err",      "perplexity", "ppl",  "entropy", "divergence", "kl",
                          "nll",      "mae",        "mse",  "rmse",    "rmsle",      "mape",
                          "smape",    "wer",        "cer",  "eer",     "fid",        "lpips",
                          "bpd",      "bpc",        "bpb",  "brier",   "ece",        "hinge",
                          "distance", "residual",   "cost", "regret",  "mpjpe",      "chamfer"});
  });
}

}  // namespace lambda
