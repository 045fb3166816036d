#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/values/inspection.h"

namespace lambda {

/// Steers a training loop from other threads. The loop asks next() before every batch, of training
/// and of evaluation alike, so each wish acts within one batch, from any state:
///
///   while (true) {
///     switch (control.next()) {
///       case RunControl::Turn::batch: trainOneBatch(); break;
///       case RunControl::Turn::inspection: serve(*control.takeInspection()); break;
///       case RunControl::Turn::paused: control.waitForChange(); break;
///       case RunControl::Turn::stop: return;
///     }
///   }
///
/// Wishes never block. A stop is final; wishes after it are ignored, inspections included.
/// Thread-safe: any number of threads may wish, one thread runs the loop.
class RunControl {
 public:
  enum class Mode { running, paused, stopping };
  enum class Turn { batch, inspection, paused, stop };

  void pause();
  void resume();
  /// One more batch, then pause. While running: pause after the batch under way.
  void stepOnce();
  void requestStop();

  /// Puts a request into the inbox; one that is still there is replaced: the newest wins.
  void requestInspection(InspectionRequest request);

  Mode mode() const;

  /// Whether the loop stands still: it waits in waitForChange() and no wish tells it to go on.
  bool isHeld() const;

  /// What the loop is to do now. A waiting inspection comes first, also while paused.
  Turn next();

  /// The waiting request, if any; for the loop.
  std::optional<InspectionRequest> takeInspection();

  /// Blocks while next() would answer `paused`; for the loop.
  void waitForChange();

 private:
  Turn turn() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Mode mode_ = Mode::running;
  std::int64_t singleSteps_ = 0;
  std::optional<InspectionRequest> inspection_;
  bool isWaiting_ = false;
};

}  // namespace lambda
