#pragma once

#include <filesystem>

#include <QString>

#include "engine/values/run_record.h"

namespace lambda {

enum class SourceKind {
  none,
  live,        ///< The network that is being trained.
  checkpoint,  ///< A file of a run.
};

/// Which weights are looked into.
struct InspectionSource {
  SourceKind kind = SourceKind::none;
  std::filesystem::path run = {};         ///< The run folder.
  std::filesystem::path checkpoint = {};  ///< The file; empty of a live one.
  RunRecord record = {};                  ///< Of the run: its network and its data.
  QString label = {};                     ///< "cpu-hybrid, best"

  /// Whether both mean the same weights, whatever the record has come to say since.
  bool isSameAs(const InspectionSource& other) const {
    return kind == other.kind && run == other.run && checkpoint == other.checkpoint;
  }
};

}  // namespace lambda
