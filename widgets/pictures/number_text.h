#pragma once

#include <QString>

namespace lambda {

/// A measured number as text: three significant digits unless another number is given, a true minus
/// sign, powers of ten only below 0.001 and from a million on; "NaN", "∞". In the program's locale.
QString numberText(double value, int digits = 3);

/// A count with thousands separators: "3,120".
QString countText(qint64 value);

/// A share of 0..1 in per cent: "86.5 %".
QString percentText(double share, int decimals = 1);

}  // namespace lambda
