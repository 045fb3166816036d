#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/run/queued_run.h"

namespace lambda {

/// The largest queue that is stored and read.
inline constexpr std::size_t kLargestQueueBytes = 16 << 20;

// The queue of runs that wait to be trained, under the rules of config_json.h.

/// Throws Error for a queue that queueFromJson() refuses as too large.
std::string toJson(const std::vector<QueuedRun>& queue);

/// `file` names the queue in errors. Throws Error for content that is refused.
std::vector<QueuedRun> queueFromJson(std::string_view text, const std::string& file);

}  // namespace lambda
