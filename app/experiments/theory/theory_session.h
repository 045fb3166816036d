#pragma once

#include <map>
#include <memory>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "engine/values/theory/theory_experiment.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// The last computation of a theory experiment since the program's start.
struct TheoryRun {
  enum class State { none, running, stopping, done, stopped, failed };

  State state = State::none;
  TheorySettings settings = {};
  double fraction = 0;  ///< Of the work that is done, 0..1.
  double seconds = 0;
  std::shared_ptr<const TheoryResult> result = {};  ///< So far; null before the first.
  QString problem = {};                             ///< Why it failed.

  bool isActive() const { return state == State::running || state == State::stopping; }
};

/// Computes theory experiments, one at a time, on a thread of its own, and keeps the last result of
/// each. Lives on the GUI thread, which gets what the thread has found ten times a second.
class TheorySession : public QObject {
  Q_OBJECT

 public:
  explicit TheorySession(QObject* parent = nullptr);
  /// Cancels the computation and waits for the thread.
  ~TheorySession() override;

  const TheoryRun& run(const std::string& experiment) const;

  /// Begins a computation, and stops one that is under way.
  void start(const std::string& experiment, const TheorySettings& settings);

  /// Asks the computation under way to end; what it has found stays.
  void stop();

 Q_SIGNALS:
  /// The run of that experiment has other values.
  void changed(const std::string& experiment);

 private:
  class Job;
  struct End;

  void take(Job& job);
  void finish(Job& job, const End& end);

  std::map<std::string, TheoryRun> runs_;
  std::shared_ptr<Job> job_;  ///< The computation under way; null where there is none.
  QElapsedTimer clock_;       ///< Since its start.
  QTimer timer_;
  Lane lane_;
  Work computation_{*this};
};

}  // namespace lambda
