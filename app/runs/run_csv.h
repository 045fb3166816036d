#pragma once

#include <QString>

namespace lambda {

class RunSortFilter;

/// The listed runs in their order as CSV (RFC 4180): numbers in full, times in seconds, shares of
/// 0..1, a point in every locale; what is missing is empty.
QString toCsv(const RunSortFilter& runs);

}  // namespace lambda
