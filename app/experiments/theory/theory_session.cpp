#include "app/experiments/theory/theory_session.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "engine/runtime/seconds_since.h"
#include "engine/theory/theory.h"

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kTakeInterval{100};

/// Below the window's, which stays responsive on a machine with one core.
constexpr int kTheoryNiceness = 10;

}  // namespace

/// A computation: what the thread reports, of which only the newest counts, and the request to end.
class TheorySession::Job : public TheoryObserver {
 public:
  struct Content {
    double fraction = 0;
    std::shared_ptr<const TheoryResult> result;
  };

  explicit Job(std::string name) : experiment(std::move(name)) {}

  Content newest() {
    const std::lock_guard lock(mutex_);
    return content_;
  }

  void requestStop() { isStopRequested_ = true; }

  void progressed(double fraction) override {
    const std::lock_guard lock(mutex_);
    content_.fraction = fraction;
  }

  void resultChanged(std::shared_ptr<const TheoryResult> result) override {
    const std::lock_guard lock(mutex_);
    content_.result = std::move(result);
  }

  bool isStopRequested() override { return isStopRequested_; }

  const std::string experiment;

 private:
  std::atomic<bool> isStopRequested_ = false;
  std::mutex mutex_;
  Content content_;
};

struct TheorySession::End {
  TheoryRun::State state = TheoryRun::State::failed;
  double seconds = 0;
  QString problem = {};
};

TheorySession::TheorySession(QObject* parent) : QObject(parent), lane_(kTheoryNiceness) {
  timer_.setInterval(kTakeInterval);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (job_) take(*job_);
  });
}

TheorySession::~TheorySession() {
  if (job_) job_->requestStop();
}

const TheoryRun& TheorySession::run(const std::string& experiment) const {
  static const TheoryRun none;
  const auto found = runs_.find(experiment);
  return found == runs_.end() ? none : found->second;
}

void TheorySession::start(const std::string& experiment, const TheorySettings& settings) {
  if (run(experiment).isActive()) return;
  stop();
  auto job = std::make_shared<Job>(experiment);
  job_ = job;
  runs_[experiment] = {.state = TheoryRun::State::running, .settings = settings};
  clock_.start();
  timer_.start();
  const auto compute = [job, settings] {
    const auto start = std::chrono::steady_clock::now();
    End end;
    try {
      const bool isComplete = runTheory(job->experiment, settings, *job).has_value();
      end.state = isComplete ? TheoryRun::State::done : TheoryRun::State::stopped;
    } catch (const std::exception& error) {
      end.problem = QString::fromUtf8(error.what());
    }
    end.seconds = secondsSince(start);
    return end;
  };
  // The end of a computation that this one stops is shown also.
  computation_.follow(lane_.run(compute), [this, job](const End& end) { finish(*job, end); });
  Q_EMIT changed(experiment);
}

void TheorySession::stop() {
  if (!job_) return;
  job_->requestStop();
  TheoryRun& run = runs_[job_->experiment];
  if (run.state != TheoryRun::State::running) return;
  run.state = TheoryRun::State::stopping;
  Q_EMIT changed(job_->experiment);
}

void TheorySession::take(Job& job) {
  TheoryRun& run = runs_[job.experiment];
  Job::Content content = job.newest();
  run.fraction = content.fraction;
  run.result = std::move(content.result);
  run.seconds = static_cast<double>(clock_.elapsed()) / 1000;
  Q_EMIT changed(job.experiment);
}

void TheorySession::finish(Job& job, const End& end) {
  if (job_.get() == &job) {
    job_.reset();
    timer_.stop();
  }
  TheoryRun& run = runs_[job.experiment];
  Job::Content content = job.newest();
  run.fraction = content.fraction;
  run.result = std::move(content.result);
  run.state = end.state;
  run.seconds = end.seconds;
  run.problem = end.problem;
  Q_EMIT changed(job.experiment);
}

}  // namespace lambda
