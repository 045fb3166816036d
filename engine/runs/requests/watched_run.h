#pragma once

#include <filesystem>
#include <functional>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_request.h"

namespace lambda {

/// Follows a run that another process trains as if it were trained here, until that training ends:
/// the observer gets what is new in the run's folder, and `ask` what the control is asked for. Both
/// are called on this thread. A pause that somebody else asked for is one of the control too. The
/// network is in the other process, so that inspections fail with that reason. `ask` may throw
/// Error, which becomes a warning.
///
/// A stop asks the process to save and end; RunControl::leave() ends the call alone, whose result
/// then says that the run is trained. Throws Error for a run that has ended before, or can't
/// be read. A training whose process has died gives a result of status `failed`.
RunResult watchRun(const std::filesystem::path& run,
                   const std::function<void(const RunRequest&)>& ask,
                   RunControl& control,
                   Observer& observer);

}  // namespace lambda
