#pragma once

#include <cstdint>
#include <string>

#include "engine/values/architecture/task.h"

namespace lambda {

// One rule for the text of each quantity, for the command line, messages and the studio
// (widgets/text/quantity_text.h), in every locale: a point before decimals, commas between
// thousands, a space before a unit, decimal prefixes (1 kB = 1000 B). Values that are not finite
// are "NaN", "Infinity" and "-Infinity".

/// That many decimals: "0.50".
std::string formatFixed(double value, int decimals);

/// A measured number with `digits` significant digits, digits before the point are all written:
/// "0.0417", "12346". Powers of ten below 0.001 and from a million on: "3.14e-7".
std::string formatMeasured(double value, int digits = 3);

/// A value that was chosen, such as a learning rate or a tick: as measured, at most `digits`
/// significant digits, but without trailing zeros: "0.05", "4.237e-4".
std::string formatRounded(double value, int digits = 4);

/// A count in full: "1,234,567".
std::string formatCount(std::int64_t count);

/// A count with its noun, which gets its regular plural: "1 epoch", "3 epochs", "2 classes".
std::string formatCounted(std::int64_t count, const std::string& noun);

/// The unit of a throughput: "images/s", and "tokens/s" of sequences.
std::string throughputUnit(Task task);

/// A throughput in its unit, without it: "2,004". `tokensPerExample`: of a sequence.
std::string throughputNumber(double examplesPerSecond, Task task, int tokensPerExample);

/// "2,004 images/s"
std::string throughputText(double examplesPerSecond, Task task, int tokensPerExample);

/// A count with `digits` significant digits and a prefix from 1000 on: "456", "1.18 M".
std::string formatShortCount(std::int64_t count, int digits = 3);

/// Memory, files and downloads: "512 B", "5.24 MB", "16.9 GB".
std::string formatBytes(std::int64_t bytes, int digits = 3);

/// The size of a processor's cache, by custom with prefixes that are powers of 1024: "48 KiB".
std::string formatCacheSize(std::int64_t bytes);

/// A share of 0..1 in per cent: "86.5 %". Only the whole is "100.0 %" and only nothing is "0.0 %";
/// what would be rounded to them is ">99.9 %" and "<0.1 %".
std::string formatPercent(double share, int decimals = 1);

/// The accuracy over a set, in hundredths of a per cent, which is one of 10,000 images: "86.53 %".
std::string formatAccuracy(double share);

/// A score over a set: an accuracy as formatAccuracy(), others with four decimals.
std::string formatScore(double score, ScoreKind kind);

/// A duration in at most two units: "4.2 s", "42 s", "3 min 20 s", "1 h 02 min", "2 d 4 h"; "?"
/// where it is negative or not finite.
std::string formatDuration(double seconds);

/// A duration as on a clock, short enough for a column: "0:42", "1:02:40"; "?" where it is not
/// finite.
std::string formatClock(double seconds);

}  // namespace lambda
