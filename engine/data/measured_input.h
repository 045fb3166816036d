#pragma once

#include <optional>
#include <string>

#include "engine/values/config/run_config.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// The NetworkInput of a run that an earlier version trained, which did not record it: measured
/// anew on the run's training images. `place`: where the data is, if it has moved. Throws Error if
/// it can't be read.
NetworkInput measuredInput(DataConfig data, const std::optional<std::string>& place);

}  // namespace lambda
