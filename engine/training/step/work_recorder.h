#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

#include "engine/training/step/work_counts.h"

namespace lambda {

/// Work for a device that was recorded once and can be repeated, always in the same memory. The
/// inputs that it did not create must stay at their addresses as long as this lives.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Queues all of the work after what is already queued on the device. Does not wait.
  virtual void replay() = 0;

  /// Counts the launches of one replay on the device. Throws c10::Error if the device can't tell.
  virtual WorkCounts counts() const = 0;
};

/// Records the work that a function queues on a device. Lives as long as the process.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;

  /// Calls `queueWork` once; the device does none of its work before a replay. The function must
  /// not wait for the device, nor send anything to it. The recorded work keeps the tensors that the
  /// function returns, and every replay overwrites them. Every replay draws new numbers from
  /// `random`. Throws c10::Error if the device can't record the work; the caller must then restore
  /// the state of `random`.
  virtual std::unique_ptr<RecordedWork> record(
      const std::function<std::vector<at::Tensor>()>& queueWork, const at::Generator& random) = 0;
};

/// Name and type of the one function that a recorder plugin exports. The number in the name changes
/// with the classes above, so that a program can't open a plugin of another version.
inline constexpr const char* kWorkRecorderSymbol = "lambdaWorkRecorder2";
using GetWorkRecorder = WorkRecorder* (*)();

}  // namespace lambda
