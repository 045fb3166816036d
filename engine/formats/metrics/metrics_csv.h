#pragma once

#include <string>

#include "engine/values/run/metrics.h"

namespace lambda {

// Metrics as CSV (RFC 4180, lines end in "\n"): a line of column names, then one line per record.
// Numbers have a point in every locale; a value that was not measured is an empty cell.

/// Columns: epoch, step, seconds, trainLoss, trainAccuracy, validationLoss, validationAccuracy,
/// learningRate, imagesPerSecond; with another score than the accuracy, its name.
std::string epochsCsv(const Metrics& metrics);

/// Columns: step, epoch, seconds, loss, accuracy (or another score), learningRate, gradientNorm,
/// imagesPerSecond.
std::string batchesCsv(const Metrics& metrics);

}  // namespace lambda
