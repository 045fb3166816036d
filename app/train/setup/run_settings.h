#pragma once

#include <string>
#include <utility>
#include <vector>

#include <QString>

#include "engine/values/run/run_change.h"
#include "widgets/forms/field_rows.h"

namespace lambda {

/// The settings of the training under way: its configuration, its changes so far, and the change
/// that a person has prepared but not yet applied.
class RunSettings {
 public:
  const RunConfig& config() const { return config_; }

  const ChangeRequest& prepared() const { return prepared_; }

  double epoch() const { return epoch_; }

  int runningEpoch() const { return runningEpoch_; }

  QString name() const;

  /// What the run has been given is no longer part of the prepared change.
  void setRun(const RunConfig& config, const std::vector<RunChange>& changes, int batchesPerEpoch);

  /// The position in epochs, and the running epoch, counted from 1.
  void setPosition(double epoch, int runningEpoch);

  /// Adds the value of a field to the prepared change; false for a field that is not there.
  bool prepare(const std::string& path, const FieldValue& value);

  void discard() { prepared_ = {}; }

  /// The configuration with the prepared change.
  RunConfig shown() const;

  /// The recipes that the run has had, and the one that it will have, each from its epoch on.
  std::vector<std::pair<double, Recipe>> recipes() const;

 private:
  RunConfig config_;
  std::vector<RunChange> changes_;
  int batchesPerEpoch_ = 0;
  double epoch_ = 0;
  int runningEpoch_ = 1;
  ChangeRequest prepared_;
};

}  // namespace lambda
