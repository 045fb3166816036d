#include "engine/values/run/run_change.h"

#include <algorithm>
#include <utility>

#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

std::string everyText(double count, const std::string& unit) {
  if (count == 0) return "never";
  return count == 1 ? "every " + unit : "every " + formatNumber(count) + " " + unit + "s";
}

std::string keptText(int epochs) {
  return epochs == 0 ? "all" : "the last " + std::to_string(epochs);
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
  visitRequested(settings, request, [](auto& setting, const auto& requested) {
    setting = requested.value_or(setting);
  });
  return settings;
}

ChangeRequest requestBetween(const LiveSettings& before, const LiveSettings& after) {
  ChangeRequest request;
  visitRequested(after, request, [](const auto& setting, auto& requested) { requested = setting; });
  visitRequested(before, request, [](const auto& setting, auto& requested) {
    if (requested == setting) requested.reset();
  });
  return request;
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
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  const auto addNumber = [&](const std::string& what, double before, double after) {
    if (before != after) add(what + " from " + formatNumber(before) + " to " + formatNumber(after));
  };
  const auto addPolicy =
      [&](const std::string& what, const std::string& before, const std::string& after) {
        if (before != after) add(what + " " + after + " (was " + before + ")");
      };
  addNumber(
      "learning rate factor", change.before.learningRateFactor, change.after.learningRateFactor);
  addNumber("epochs", change.before.epochs, change.after.epochs);
  const CheckpointConfig& before = change.before.checkpoints;
  const CheckpointConfig& after = change.after.checkpoints;
  addPolicy("epoch checkpoints",
            everyText(before.everyEpochs, "epoch"),
            everyText(after.everyEpochs, "epoch"));
  addPolicy("epoch checkpoints kept", keptText(before.keepEpochs), keptText(after.keepEpochs));
  addPolicy("best checkpoint",
            before.keepBest ? "kept" : "not kept",
            after.keepBest ? "kept" : "not kept");
  addPolicy("autosave",
            everyText(before.everyMinutes, "minute"),
            everyText(after.everyMinutes, "minute"));
  return text;
}

std::string textOf(const DataChange& change) {
  constexpr std::size_t kShownDigits = 12;
  return "the training images changed after step " + formatCount(change.step) + ": SHA-256 " +
         change.before.substr(0, kShownDigits) + " before, " +
         change.after.substr(0, kShownDigits) + " since";
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
