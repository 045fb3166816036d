#pragma once

#include "engine/runtime/device.h"
#include "engine/values/run_record.h"

namespace lambda {

/// Version of this program, "0.1.0".
std::string programVersion();

/// What this process runs on, with the present time as the start. `rates` are what the precision
/// was chosen by, if it was.
Environment currentEnvironment(const ComputeDevice& device, const PrecisionRates& rates = {});

}  // namespace lambda
