#pragma once

#include <optional>

#include <QString>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"

class QDateTime;

namespace lambda {

// Quantities as they read on every page: by the rules of engine/values/text/quantities.h, with a
// true minus sign and "∞".

/// That many decimals, for rows of numbers that share a step, such as ticks: "0.50".
QString fixedText(double value, int decimals);

/// A measured number: "0.0417".
QString numberText(double value, int digits = 3);

/// A chosen value, such as a learning rate or a tick: "0.05", "4.237e−4".
QString roundedText(double value, int digits = 4);

/// "1,234,567"
QString countText(qint64 count);

/// A count with its noun: "1 epoch", "2,000 images", "3 batches".
QString countedText(qint64 count, const QString& noun);

/// "never", "once", "twice", "3 times"
QString timesText(qint64 count);

/// "456", "1.18 M"
QString shortCountText(qint64 count, int digits = 3);

/// "5.24 MB"
QString bytesText(qint64 bytes, int digits = 3);

/// "86.5 %", ">99.9 %"
QString percentText(double share, int decimals = 1);

/// "86.53 %"
QString accuracyText(double share);

/// A score that says what it is: "86.53 %", "R² 0.9312".
QString scoreText(double score, ScoreKind kind);

/// "age: predicted 3.21, true 3; height: predicted 12"
QString numbersText(const std::vector<NumberPrediction>& numbers);

/// " (always guessing cat: 43.30 %)", to follow an accuracy; empty where the class is not known.
QString guessText(const std::optional<MajorityClass>& majority);

/// "4.2 s", "3 min 20 s", "1 h 02 min"; "–" where it is not known.
QString durationText(double seconds);

/// "0:42", "1:02:40"; "–" where it is not known.
QString clockText(double seconds);

/// A moment in local time: "21 Nov, 01:46", of other years "10 Apr 2021"; empty where it is
/// invalid.
QString momentText(const QDateTime& moment);

/// The same for seconds since 1970; empty for NaN.
QString momentText(double secondsSince1970);

/// The title of an event, before its own text: "Checkpoint".
QString eventTitle(EventKind kind);

}  // namespace lambda
