#include "app/train/setup/run_settings.h"

#include <algorithm>

namespace lambda {

QString RunSettings::name() const {
  return QString::fromStdString(config_.name.empty() ? config_.architecture.name : config_.name);
}

void RunSettings::setRun(const RunConfig& config,
                         const std::vector<RunChange>& changes,
                         int batchesPerEpoch) {
  config_ = config;
  changes_ = changes;
  batchesPerEpoch_ = batchesPerEpoch;
  const LiveSettings now = liveSettingsOf(config);
  prepared_ = requestBetween(now, settingsAfter(now, prepared_));
}

void RunSettings::setPosition(double epoch, int runningEpoch) {
  epoch_ = epoch;
  runningEpoch_ = std::max(runningEpoch, 1);
}

bool RunSettings::prepare(const std::string& path, const FieldValue& value) {
  RunConfig next = shown();
  if (!setField(next, path, value)) return false;
  prepared_ = requestBetween(liveSettingsOf(config_), liveSettingsOf(next));
  return true;
}

RunConfig RunSettings::shown() const {
  RunConfig config = config_;
  setLiveSettings(config, settingsAfter(liveSettingsOf(config), prepared_));
  return config;
}

std::vector<std::pair<double, Recipe>> RunSettings::recipes() const {
  const Recipe next = shown().recipe;
  if (batchesPerEpoch_ <= 0) return {{0, next}};
  RunConfig then = config_;
  if (!changes_.empty()) setLiveSettings(then, changes_.front().before);
  std::vector<std::pair<double, Recipe>> recipes{{0, then.recipe}};
  for (const RunChange& change : changes_) {
    setLiveSettings(then, change.after);
    const double epoch = change.epoch + static_cast<double>(change.batch) / batchesPerEpoch_;
    recipes.emplace_back(epoch, then.recipe);
  }
  if (next != then.recipe) recipes.emplace_back(std::max(epoch_, recipes.back().first), next);
  return recipes;
}

}  // namespace lambda
