#pragma once

#include <QString>

namespace lambda {

// Quantities as text, with that many significant digits and decimal prefixes.

/// "456", "1.18 M", "4.09 G"
QString shortCount(long long count, int digits = 3);

/// "512 B", "5.2 MB"
QString shortBytes(long long bytes, int digits = 2);

/// "0.4 s", "41 s", "8 min", "1 h 02 min"
QString shortDuration(double seconds);

/// "1,234,567"
QString groupedCount(long long count);

}  // namespace lambda
