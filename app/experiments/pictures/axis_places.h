#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

// How the axes of an experiment become axes of a picture. An axis is an index into
// Experiment::axes.

/// The number that a JSON text is; nothing for any other text.
std::optional<double> numberOf(const std::string& text);

/// The different values of an axis among the variants: numbers ascending, other texts in the order
/// of the variants.
std::vector<std::string> distinctValuesOf(const ExperimentState& state, std::size_t axis);

/// The axes with more than one value.
std::vector<std::size_t> variedAxesOf(const ExperimentState& state);

/// The axis along x: that of numbers with the most different values, at least two; of several the
/// first.
std::optional<std::size_t> sweptAxisOf(const ExperimentState& state);

/// The variants of two axes as a table.
struct CrossedTable {
  std::size_t rowAxis = 0;
  std::size_t columnAxis = 0;
  std::vector<std::string> rows;                     ///< distinctValuesOf() the axis.
  std::vector<std::string> columns;                  ///< The same.
  std::vector<std::optional<std::size_t>> variants;  ///< [rows * columns], row by row.

  const std::optional<std::size_t>& variantAt(std::size_t row, std::size_t column) const {
    return variants[row * columns.size() + column];
  }
};

/// Where exactly two axes are varied, each value of one with each of the other: the table of both,
/// with the swept axis along its columns.
std::optional<CrossedTable> crossedTableOf(const ExperimentState& state);

/// Whether equal distances are to be equal factors: of values that were chosen so, and of positive
/// ones whose largest is more than 20 times the smallest.
bool isLogarithmic(const Axis& axis, const std::vector<double>& values);
bool isLogarithmic(const std::vector<double>& values);

/// "Learning rate" for "recipe.optimizer.learningRate".
QString axisTitleOf(const Axis& axis);

/// The name of a variant as a person reads it: numbers of axes have few digits, "learningRate =
/// 0.003129".
QString variantText(const ExperimentState& state, std::size_t variant);

/// A value as a person reads it: "0.05", "lambda".
QString axisValueText(const std::string& text);

}  // namespace lambda
