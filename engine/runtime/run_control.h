#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/run_change.h"

namespace lambda {

/// A place in a training.
struct TrainingPlace {
  std::int64_t step = 0;  ///< After this step; 0 = at none.
  int epoch = 0;          ///< After this epoch, counted from 1; 0 = at none.
};

/// Controls a training loop from other threads. The loop calls next() before every batch of
/// training and of evaluation, so each request takes effect within one batch, in any state:
///
///   while (true) {
///     switch (control.next()) {
///       case RunControl::Turn::batch: trainOneBatch(); break;
///       case RunControl::Turn::change: make(control.takeChanges()); break;
///       case RunControl::Turn::inspection: serve(*control.takeInspection()); break;
///       case RunControl::Turn::paused: control.waitForChange(); break;
///       case RunControl::Turn::stop: return;
///     }
///   }
///
/// Requests never block. A stop is final; later requests are ignored, including inspections.
/// Changes that were requested before it still come first, so that none is lost.
/// Thread-safe: any number of threads may send requests, and one thread runs the loop.
class RunControl {
 public:
  enum class Mode { running, paused, stopping };
  enum class Turn { batch, change, inspection, paused, stop };

  void pause();
  void resume();
  /// Runs one more batch and then pauses. While running, pauses after the current batch.
  void stepOnce();
  void requestStop();
  /// Ends a loop that only follows a training of another process, and leaves that training as it
  /// is. A loop that trains stops.
  void leave();
  /// Whether leave() has ended it.
  bool isLeft() const;
  /// Requests a stop when the loop has reached the place, or is past it.
  void stopAfter(const TrainingPlace& place);

  /// Requests an inspection. It replaces a request that is still waiting.
  void requestInspection(InspectionRequest request);

  /// Requests a change of settings. All requests are granted or refused in their order, also while
  /// the loop is paused.
  void requestChange(const ChangeRequest& request);

  Mode mode() const;

  /// Whether the loop waits in waitForChange() and no request makes it continue.
  bool isHeld() const;

  /// The next action of the loop. Waiting changes come first, then an inspection, also while
  /// paused.
  Turn next();

  /// Takes the waiting inspection request, if any. Called by the loop.
  std::optional<InspectionRequest> takeInspection();

  /// Takes the waiting requests for changes, the oldest first. Called by the loop.
  std::vector<ChangeRequest> takeChanges();

  /// Tells that a step or an epoch is done. Called by the loop.
  void reached(const TrainingPlace& place);

  /// Blocks while next() would return `paused`. Called by the loop.
  void waitForChange();
  /// The same, but not longer than `time`.
  void waitForChange(std::chrono::milliseconds time);

 private:
  Turn turn() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Mode mode_ = Mode::running;
  TrainingPlace end_;
  bool isLeft_ = false;
  std::int64_t singleSteps_ = 0;
  std::vector<ChangeRequest> changes_;
  std::optional<InspectionRequest> inspection_;
  bool isWaiting_ = false;
};

}  // namespace lambda
