#include "engine/runtime/run_control.h"

#include <utility>

namespace lambda {

void RunControl::pause() {
  const std::lock_guard lock(mutex_);
  if (mode_ == Mode::stopping) return;
  mode_ = Mode::paused;
  singleSteps_ = 0;
}

void RunControl::resume() {
  {
    const std::lock_guard lock(mutex_);
    if (mode_ == Mode::stopping) return;
    mode_ = Mode::running;
    singleSteps_ = 0;
  }
  changed_.notify_all();
}

void RunControl::stepOnce() {
  {
    const std::lock_guard lock(mutex_);
    if (mode_ == Mode::stopping) return;
    if (mode_ == Mode::paused) ++singleSteps_;
    mode_ = Mode::paused;
  }
  changed_.notify_all();
}

void RunControl::requestStop() {
  {
    const std::lock_guard lock(mutex_);
    mode_ = Mode::stopping;
    inspection_.reset();
  }
  changed_.notify_all();
}

void RunControl::leave() {
  {
    const std::lock_guard lock(mutex_);
    isLeft_ = true;
  }
  requestStop();
}

bool RunControl::isLeft() const {
  const std::lock_guard lock(mutex_);
  return isLeft_;
}

void RunControl::stopAfter(const TrainingPlace& place) {
  const std::lock_guard lock(mutex_);
  end_ = place;
}

void RunControl::reached(const TrainingPlace& place) {
  const auto isEnd = [](auto end, auto at) { return end > 0 && at >= end; };
  {
    const std::lock_guard lock(mutex_);
    if (!isEnd(end_.step, place.step) && !isEnd(end_.epoch, place.epoch)) return;
  }
  requestStop();
}

void RunControl::requestInspection(InspectionRequest request) {
  {
    const std::lock_guard lock(mutex_);
    if (mode_ == Mode::stopping) return;
    inspection_ = std::move(request);
  }
  changed_.notify_all();
}

void RunControl::requestChange(const ChangeRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (mode_ == Mode::stopping) return;
    changes_.push_back(request);
  }
  changed_.notify_all();
}

RunControl::Mode RunControl::mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

bool RunControl::isHeld() const {
  const std::lock_guard lock(mutex_);
  return isWaiting_ && turn() == Turn::paused;
}

RunControl::Turn RunControl::turn() const {
  if (!changes_.empty()) return Turn::change;
  if (mode_ == Mode::stopping) return Turn::stop;
  if (inspection_) return Turn::inspection;
  return mode_ == Mode::running || singleSteps_ > 0 ? Turn::batch : Turn::paused;
}

RunControl::Turn RunControl::next() {
  const std::lock_guard lock(mutex_);
  const Turn now = turn();
  if (now == Turn::batch && mode_ == Mode::paused) --singleSteps_;
  return now;
}

std::optional<InspectionRequest> RunControl::takeInspection() {
  const std::lock_guard lock(mutex_);
  return std::exchange(inspection_, std::nullopt);
}

std::vector<ChangeRequest> RunControl::takeChanges() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changes_, {});
}

void RunControl::waitForChange() {
  std::unique_lock lock(mutex_);
  isWaiting_ = true;
  changed_.wait(lock, [this] { return turn() != Turn::paused; });
  isWaiting_ = false;
}

void RunControl::waitForChange(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  isWaiting_ = true;
  changed_.wait_for(lock, time, [this] { return turn() != Turn::paused; });
  isWaiting_ = false;
}

}  // namespace lambda
