#include "engine/experiments/halving.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

/// The epochs after which variants are compared, of runs of `epochs`.
std::vector<int> comparisonsOf(const Halving& halving, int epochs) {
  std::vector<int> comparisons;
  for (double at = halving.firstEpochs; at < epochs;) {
    comparisons.push_back(static_cast<int>(at));
    // Factors near 1 would compare twice after one epoch.
    at = std::max(std::floor(at) + 1, at * halving.factor);
  }
  return comparisons;
}

/// Worse than any.
constexpr double kNoScore = -std::numeric_limits<double>::infinity();

/// The best validation score of the first `epochs`; nothing where there is none.
std::optional<double> bestOf(const ExperimentCell& cell, int epochs) {
  std::optional<double> best;
  for (const EpochPoint& point : cell.curve) {
    if (point.epoch > epochs || !point.validationScore) continue;
    best = std::max(best.value_or(*point.validationScore), *point.validationScore);
  }
  return best;
}

bool hasReached(const ExperimentCell& cell, int epochs) {
  return cell.state == CellState::done || cell.state == CellState::failed ||
         cell.epochsDone >= epochs;
}

/// The mean over the seeds; nothing where no run has a value.
std::optional<double> meanOf(const ExperimentState& state, std::size_t variant, int epochs) {
  double sum = 0;
  int count = 0;
  for (const ExperimentCell& cell : state.cells) {
    if (cell.variant != variant || cell.state == CellState::failed) continue;
    const std::optional<double> best = bestOf(cell, epochs);
    if (!best) continue;
    sum += *best;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

class Rounds {
 public:
  explicit Rounds(const ExperimentState& state) : state_(state) {
    decision_.variants.resize(state.variants.size());
    for (std::size_t i = 0; i < state.variants.size(); ++i) left_.push_back(i);
    for (const ExperimentCell& cell : state.cells) {
      longest_ = std::max(longest_, cell.epochs);
    }
  }

  HalvingDecision decide() {
    const Halving& halving = state_.experiment.halving;
    for (const int epochs : comparisonsOf(halving, longest_)) {
      if (left_.size() < 2) break;
      allow(epochs);
      if (!haveAllReached(epochs)) return decision_;
      endTheWorst(epochs, halving.factor);
    }
    allow(longest_);
    return decision_;
  }

 private:
  void allow(int epochs) {
    for (const std::size_t variant : left_) decision_.variants[variant].epochs = epochs;
  }

  bool haveAllReached(int epochs) const {
    return std::ranges::all_of(state_.cells, [&](const ExperimentCell& cell) {
      const bool isLeft = std::ranges::find(left_, cell.variant) != left_.end();
      return !isLeft || hasReached(cell, std::min(epochs, cell.epochs));
    });
  }

  void endTheWorst(int epochs, double factor) {
    for (const std::size_t variant : left_) {
      decision_.variants[variant].score = meanOf(state_, variant, epochs);
    }
    std::vector<std::size_t> ranked = left_;
    std::erase(ranked, state_.baseline);
    std::ranges::stable_sort(ranked, std::greater(), [&](std::size_t variant) {
      return decision_.variants[variant].score.value_or(kNoScore);
    });
    const auto kept =
        static_cast<std::size_t>(std::ceil(static_cast<double>(ranked.size()) / factor));
    for (std::size_t i = kept; i < ranked.size(); ++i) {
      decision_.variants[ranked[i]].hasEnded = true;
      std::erase(left_, ranked[i]);
    }
  }

  const ExperimentState& state_;
  HalvingDecision decision_;
  std::vector<std::size_t> left_;
  int longest_ = 0;  ///< Epochs of the longest run.
};

}  // namespace

HalvingDecision decideHalving(const ExperimentState& state) {
  return Rounds(state).decide();
}

std::string halvingText(const Halving& halving, int epochs) {
  const std::vector<int> comparisons = comparisonsOf(halving, epochs);
  std::string text = "early ends after ";
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (i > 0) text += i + 1 == comparisons.size() ? " and " : ", ";
    text += std::to_string(comparisons[i]);
  }
  if (comparisons.empty()) text += std::to_string(halving.firstEpochs);
  return text + " epochs, each time " +
         (halving.factor == 2 ? "the better half goes on"
                              : "1 of " + formatRounded(halving.factor) + " variants goes on");
}

void markEnded(const HalvingDecision& decision, ExperimentState& state) {
  const auto textOf = [&](const HalvingDecision::Variant& variant) {
    std::string text = "ended after " + formatCounted(variant.epochs, "epoch");
    if (variant.score) {
      const ScoreTraits score = traitsOf(state.scoredBy);
      text += ", validation " + std::string(score.name) + " " +
              (score.isShare ? formatPercent(*variant.score)
                             : formatScore(*variant.score, state.scoredBy)) +
              " on average";
    }
    return text;
  };
  for (ExperimentCell& cell : state.cells) {
    const HalvingDecision::Variant& variant = decision.variants[cell.variant];
    if (!variant.hasEnded || cell.state != CellState::waiting) continue;
    cell.state = CellState::ended;
    cell.text = textOf(variant);
  }
  for (MeasureResult& measure : state.results) {
    for (std::size_t i = 0; i < measure.variants.size(); ++i) {
      if (decision.variants[i].hasEnded) measure.variants[i].text = textOf(decision.variants[i]);
    }
  }
}

}  // namespace lambda
