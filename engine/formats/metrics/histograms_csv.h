#pragma once

#include <string>
#include <string_view>

#include "engine/values/run/histogram.h"

namespace lambda {

/// The first line of histograms as CSV (RFC 4180, lines end in "\n").
inline constexpr std::string_view kHistogramsCsvHead = "step,epoch,layer,kind,low,high,count\n";

/// Appends a line for each bin that holds values. Values that are not finite have bins whose two
/// ends are that value.
void appendCsv(const HistogramRecord& record, std::string& text);

}  // namespace lambda
