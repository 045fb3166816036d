#pragma once

#include <functional>

#include <QString>

#include "app/session/training/training_session.h"
#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// All texts about a training.

/// "Training", "Pausing after this batch …"
QString stateText(SessionState state);

/// "Finished: 30 epochs", "Stopped in epoch 3", "Failed in epoch 3"; `epochs` is the planned
/// number.
QString endText(const RunResult& result, int epochs);

/// "epoch 3 of 30"; during an evaluation also the set that is scored.
QString progressText(const TrainingStatus& status);

/// What says a loss of such a run in another unit: bits per byte of a text, else the perplexity of
/// sequences; empty for images.
std::function<QString(double nats)> lossInWords(const RunConfig& config);

/// The finished share of the run, 0..1.
double progressOf(const TrainingStatus& status);

/// The recipe in one line: "shapes10 · 30 epochs of 175 × 64 images · SGD, 0.1, cosine · seed 0".
QString recipeText(const RunConfig& config);

/// A problem after the name of its field: "Momentum: Nesterov's look-ahead needs momentum".
QString problemText(const Problem& problem);

/// The text with places where long words, such as paths, may be broken into lines.
QString breakableText(const QString& text);

}  // namespace lambda
