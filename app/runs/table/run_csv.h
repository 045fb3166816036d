#pragma once

#include <QString>

namespace lambda {

class RunSortFilter;

/// The listed runs in their order as CSV (RFC 4180): full precision, times in seconds, shares of
/// 0..1, a decimal point in every locale; missing values are empty.
QString toCsv(const RunSortFilter& runs);

}  // namespace lambda
