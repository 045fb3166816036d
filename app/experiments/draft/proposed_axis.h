#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/values/experiment/experiment.h"
#include "widgets/forms/field_rows.h"

namespace lambda {

/// An axis of a field's present value and its neighbours: a number and the values one step below
/// and above it, all names of a choice, off and on. `row.path` is a path of the configuration.
Axis proposedAxis(const FieldRow& row);

/// The question that varying the field asks: "Which learning rate is best?"
std::string proposedQuestion(const FieldRow& row);

/// A name for the experiment: "learning-rate".
std::string proposedName(const FieldRow& row);

/// The measures by which networks with that score are compared.
std::vector<Measure> proposedMeasures(ScoreKind score);

/// The values of a list as a person types them, "0.05, 0.1, 0.2"; commas within brackets, braces
/// and quotes belong to a value.
std::vector<std::string> valuesFromText(std::string_view text);

std::string valuesText(const std::vector<std::string>& values);

}  // namespace lambda
