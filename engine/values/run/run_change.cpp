#include "engine/values/run/run_change.h"

#include <algorithm>
#include <utility>

#include "engine/values/config/validate.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

std::string countOr(int count, const char* zero) {
  return count == 0 ? zero : std::to_string(count);
}

std::string minutesText(double minutes) {
  if (minutes == 0) return "never";
  return minutes == 1 ? "every minute" : "every " + formatNumber(minutes) + " minutes";
}

}  // namespace

LiveSettings liveSettingsOf(const RunConfig& config) {
  return {config.recipe.learningRateFactor, config.recipe.epochs, config.checkpoints};
}

void setLiveSettings(RunConfig& config, const LiveSettings& settings) {
  config.recipe.learningRateFactor = settings.learningRateFactor;
  config.recipe.epochs = settings.epochs;
  config.checkpoints = settings.checkpoints;
}

LiveSettings settingsAfter(LiveSettings settings, const ChangeRequest& request) {
  settings.learningRateFactor = request.learningRateFactor.value_or(settings.learningRateFactor);
  settings.epochs = request.epochs.value_or(settings.epochs);
  settings.checkpoints = request.checkpoints.value_or(settings.checkpoints);
  return settings;
}

std::string obstacleTo(const ChangeRequest& request, const RunConfig& config, int runningEpoch) {
  if (runningEpoch > config.recipe.epochs) {
    return "all epochs are done, and the run ends when the test images are scored; it can be "
           "continued with more epochs then";
  }
  if (request.epochs && *request.epochs < runningEpoch) {
    return "epoch " + std::to_string(runningEpoch) +
           " is under way: the run can't have fewer than " + std::to_string(runningEpoch) +
           " epochs";
  }
  RunConfig next = config;
  setLiveSettings(next, settingsAfter(liveSettingsOf(config), request));
  const std::vector<Problem> problems = validate(next);
  const auto error = std::ranges::find(problems, Severity::error, &Problem::severity);
  return error == problems.end() ? std::string() : error->path + ": " + error->text;
}

std::string textOf(const RunChange& change) {
  std::string text;
  const auto add = [&](const char* what, const std::string& before, const std::string& after) {
    if (before == after) return;
    text += (text.empty() ? "" : ", ") + std::string(what) + " from " + before + " to " + after;
  };
  const CheckpointConfig& before = change.before.checkpoints;
  const CheckpointConfig& after = change.after.checkpoints;
  add("learning rate factor",
      formatNumber(change.before.learningRateFactor),
      formatNumber(change.after.learningRateFactor));
  add("epochs", std::to_string(change.before.epochs), std::to_string(change.after.epochs));
  add("epochs between checkpoints",
      countOr(before.everyEpochs, "none"),
      countOr(after.everyEpochs, "none"));
  add("epoch checkpoints kept",
      countOr(before.keepEpochs, "all"),
      countOr(after.keepEpochs, "all"));
  add("best checkpoint",
      before.keepBest ? "kept" : "not kept",
      after.keepBest ? "kept" : "not kept");
  add("autosave", minutesText(before.everyMinutes), minutesText(after.everyMinutes));
  return text;
}

void addChange(std::vector<RunChange>& changes,
               std::size_t index,
               RunChange at,
               const ChangeRequest& request) {
  const auto place = changes.begin() + static_cast<std::ptrdiff_t>(index);
  for (auto later = place; later != changes.end(); ++later) {
    later->before = settingsAfter(later->before, request);
    later->after = settingsAfter(later->after, request);
  }
  changes.erase(
      std::remove_if(
          place, changes.end(), [](const RunChange& each) { return each.before == each.after; }),
      changes.end());
  at.after = settingsAfter(at.before, request);
  if (at.after == at.before) return;
  changes.insert(changes.begin() + static_cast<std::ptrdiff_t>(index), std::move(at));
}

}  // namespace lambda
