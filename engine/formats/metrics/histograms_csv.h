#pragma once

#include <string>
#include <vector>

#include "engine/values/run/histogram.h"

namespace lambda {

/// Histograms as CSV (RFC 4180, lines end in "\n"), a line for each bin that holds values. Columns:
/// step, epoch, layer, kind, low, high, count. Values that are not finite have bins whose two ends
/// are that value.
std::string histogramsCsv(const std::vector<HistogramRecord>& records);

}  // namespace lambda
