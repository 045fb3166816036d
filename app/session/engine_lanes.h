#pragma once

#include <QPromise>

#include "app/session/engine_calls.h"
#include "widgets/work/lane.h"

namespace lambda {

/// The threads of the engine besides a training's, with low priority, so that neither the window
/// nor a training waits for them. Their destruction cancels what is under way.
struct EngineLanes {
  explicit EngineLanes(EngineHandle handle) : engine(std::move(handle)) {}

  ~EngineLanes() {
    soon.cancel();
    longTasks.cancel();
  }

  static constexpr int kNiceness = 10;  ///< Below a training.

  EngineHandle engine;
  Lane soon{kNiceness};       ///< For what somebody waits for.
  Lane longTasks{kNiceness};  ///< For what takes seconds and more.
};

/// Passes on the progress of a task as that of a promise, and ends the task once the promise is
/// cancelled.
template <class T>
class PromiseObserver : public Observer {
 public:
  PromiseObserver(QPromise<T>& promise, RunControl& control)
      : promise_(promise), control_(control) {}

  void evaluated(const EvaluationProgress& progress) override {
    reportProgress(promise_, progress.done, progress.total);
    if (promise_.isCanceled()) control_.requestStop();
  }

 private:
  QPromise<T>& promise_;
  RunControl& control_;
};

}  // namespace lambda
