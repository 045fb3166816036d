#pragma once

#include <cstdint>
#include <filesystem>

#include <QString>

#include "app/session/training_session.h"
#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// What people read of a training, in one place.

/// "Training", "Pausing after this batch …"
QString stateText(SessionState state);

/// "epoch 3 of 30"; during an evaluation also what is scored.
QString progressText(const TrainingStatus& status);

/// Share of the run that is done, 0..1.
double progressOf(const TrainingStatus& status);

/// The recipe in one line: "shapes10 · 30 epochs of 175 × 64 images · SGD, 0.1, cosine · seed 0".
QString recipeText(const RunConfig& config);

/// What happened, in front of an event's own text: "Checkpoint".
QString eventTitle(EventKind kind);

/// A problem after the name of its field: "Momentum: Nesterov's look-ahead needs momentum".
QString problemText(const Problem& problem);

/// "1.2 GB", with powers of 1000.
QString bytesText(std::int64_t bytes);

/// Images held out and trained on, as far as the configuration tells.
std::int64_t trainingImagesOf(const DataConfig& data,
                              const std::optional<DatasetInfo>& dataset = {});

/// The text with places where long words, such as paths, may be broken into lines.
QString breakableText(const QString& text);

/// A path as Qt has it; bytes that are no UTF-8 are shown as replacements.
QString pathText(const std::filesystem::path& path);

}  // namespace lambda
