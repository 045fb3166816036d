#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/inspection/lesion.h"

namespace lambda {

struct LesionRequest {
  /// A run folder, a checkpoint file in one, or a file of exported weights. A folder stands for its
  /// best checkpoint, or for its last one if there is no best.
  std::filesystem::path run;
  std::string layer = {};  ///< Whose parts are cut; empty: of all lambda layers together.
  Split split = Split::validation;
  std::int64_t images = 500;  ///< Spread evenly over the split, which may have fewer.
  std::optional<std::string> data = std::nullopt;  ///< Path of the data; none = as recorded.
};

/// Scores a network without each of its lesionsOf(), one at a time, and as it is, on the same
/// images, as evaluateRun() does. No weight changes. Scoring the uncut network on the whole test
/// set is an evaluation, which is stored with the run. Throws Error if the checkpoint or the data
/// can't be read or does not fit, for a layer without lambdas, for a network that does not classify
/// images, and if there are no such images. Returns nothing if the control asked to stop.
std::optional<LesionTable> scoreLesions(const LesionRequest& request,
                                        RunControl& control,
                                        Observer& observer);

}  // namespace lambda
