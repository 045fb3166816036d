#pragma once

#include <string>
#include <vector>

#include "app/train/setup/machine.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"
#include "widgets/forms/field_form.h"

namespace lambda {

/// The fields of a run's configuration for the forms of the Train page, by subject. The first
/// section of each has no heading: it stands below its column's.
struct RecipeForms {
  std::vector<FormSection> data;     ///< Validation split, augmentation.
  std::vector<FormSection> recipe;   ///< Run, optimiser, schedule.
  std::vector<FormSection> machine;  ///< Device, checkpoints, fine-tuning.
};

/// `all`: includes rarely changed settings, and those that can be changed while a run trains are
/// included if `trains`; all others can't be edited then. A field without effect in the current
/// settings (the momentum of Adam) is left out; one with a problem is always shown.
RecipeForms recipeForms(const RunConfig& config,
                        bool all,
                        const std::vector<Problem>& problems,
                        const Machine& machine,
                        bool trains = false);

/// The form that has the field: 0 data, 1 recipe, 2 machine; -1 = none, for example for a
/// field of the network.
int formOf(const std::string& path);

/// The learning rate over a run as (epoch, rate). `recipes`: each from its epoch on, the first from
/// 0; a run has several if its settings are changed while it trains.
std::vector<std::pair<double, double>> learningRateCurve(
    const std::vector<std::pair<double, Recipe>>& recipes);

}  // namespace lambda
