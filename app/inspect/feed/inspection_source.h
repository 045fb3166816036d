#pragma once

#include <filesystem>

#include <QString>

#include "engine/values/run/run_record.h"

namespace lambda {

enum class SourceKind {
  none,
  live,        ///< The network that is being trained.
  checkpoint,  ///< A file of a run.
};

/// The weights to inspect.
struct InspectionSource {
  SourceKind kind = SourceKind::none;
  std::filesystem::path run = {};         ///< The run folder.
  std::filesystem::path checkpoint = {};  ///< The file; empty for a live source.
  RunRecord record = {};                  ///< The run's record: its network and its data.
  QString label = {};                     ///< "cpu-hybrid, best"

  /// Whether both mean the same weights, even where the record has changed since.
  bool isSameAs(const InspectionSource& other) const {
    return kind == other.kind && run == other.run && checkpoint == other.checkpoint;
  }
};

}  // namespace lambda
