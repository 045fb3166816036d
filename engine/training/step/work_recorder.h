#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

namespace lambda {

/// Work for a device that was recorded once and can be done again and again, in the same memory.
/// What it reads, but for what it made itself, must stay where it is as long as this lives.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Queues all of it behind what the device was given before, and waits for nothing.
  virtual void replay() = 0;
};

/// Records what a function queues. Lives as long as the process.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;

  /// Calls `queueWork` once; the device does nothing of it before a replay. It must not wait for
  /// the device, nor send anything to it. What it returns is kept with the record, and every replay
  /// writes it anew. Every replay draws new numbers from `random`. Throws c10::Error where the
  /// device can't record it; whoever draws from `random` then has to put its state back.
  virtual std::unique_ptr<RecordedWork> record(
      const std::function<std::vector<at::Tensor>()>& queueWork, const at::Generator& random) = 0;
};

/// Name of the one function of a plugin that records, and its type. The number in it changes with
/// the classes above: a program and a plugin of different ones don't go together.
inline constexpr const char* kWorkRecorderSymbol = "lambdaWorkRecorder1";
using GetWorkRecorder = WorkRecorder* (*)();

}  // namespace lambda
