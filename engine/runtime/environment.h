#pragma once

#include "engine/runtime/device.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// Version of this program, for example "0.1.0".
std::string programVersion();

/// Environment::commit of this process.
std::string programCommit();

/// The name of this host in its network.
std::string hostName();

/// Program and machine of this process, with the current time as the start. `rates` are those that
/// the precision was chosen by, if it was automatic.
Environment currentEnvironment(const ComputeDevice& device, const PrecisionRates& rates = {});

}  // namespace lambda
