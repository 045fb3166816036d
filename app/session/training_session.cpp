#include "app/session/training_session.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "app/session/worker_thread.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Interval at which new records are read. Each read by the GUI thread takes a core from the
/// training for a moment, and the training's other threads wait for that one; curves are not drawn
/// more often either.
constexpr std::chrono::milliseconds kDrainInterval{100};
/// Interval while somebody waits for a pause.
constexpr std::chrono::milliseconds kPausingInterval{15};

/// The window has priority over a training that uses all cores.
constexpr int kTrainingNiceness = 5;

}  // namespace

/// The start of a training on the worker: the call of the engine with its arguments.
struct TrainingSession::Job {
  std::function<RunResult(RunControl&, Observer&)> run;
};

/// The start of a run, with the records that a resumed one has from before.
struct TrainingSession::Opening {
  RunRecord record;
  std::string run;
  int batchesPerEpoch = 0;
  std::int64_t trainingImages = 0;
  Metrics earlier;
};

/// The messages of the training thread between two reads of the GUI thread. All batches are kept,
/// since a curve shows each of them; of counts only the newest. Starts and the replies to
/// inspections are passed on at once.
class TrainingSession::Mailbox : public Observer {
 public:
  struct Content {
    MetricsUpdate metrics;
    std::vector<RunChange> changes;
    std::vector<std::string> refusals;
    EvaluationProgress evaluation;
  };

  struct PassedOn {
    std::function<void(Opening)> opening;
    std::function<void(const SnapshotPointer&)> snapshot;
    std::function<void(const InspectionRequest&, const std::string& reason)> failure;
  };

  explicit Mailbox(PassedOn passedOn) : passedOn_(std::move(passedOn)) {}

  Content take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(content_,
                         Content{.metrics = {},
                                 .changes = {},
                                 .refusals = {},
                                 .evaluation = content_.evaluation});
  }

  void started(const RunRecord& record,
               const std::string& run,
               int batchesPerEpoch,
               std::int64_t trainingImages) override {
    Opening opening{record, run, batchesPerEpoch, trainingImages, {}};
    try {
      opening.earlier = readMetrics(std::filesystem::path(run) / "metrics.jsonl");
    } catch (const Error& error) {
      opening.earlier.warnings.emplace_back(error.what());
    }
    passedOn_.opening(std::move(opening));
  }

  void batchFinished(const BatchRecord& record) override {
    const std::lock_guard lock(mutex_);
    content_.metrics.batches.push_back(record);
    content_.evaluation = {};
  }

  void epochFinished(const EpochRecord& record) override {
    const std::lock_guard lock(mutex_);
    content_.metrics.epochs.push_back(record);
    content_.evaluation = {};
  }

  void evaluated(const EvaluationProgress& progress) override {
    const std::lock_guard lock(mutex_);
    content_.evaluation = progress;
  }

  void eventRecorded(const EventRecord& record) override {
    const std::lock_guard lock(mutex_);
    content_.metrics.events.push_back(record);
  }

  void settingsChanged(const RunChange& change) override {
    const std::lock_guard lock(mutex_);
    content_.changes.push_back(change);
  }

  void changeRefused(const ChangeRequest& /*request*/, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    content_.refusals.push_back(reason);
  }

  void inspected(std::shared_ptr<const InspectionSnapshot> snapshot) override {
    passedOn_.snapshot(snapshot);
  }

  void inspectionFailed(const InspectionRequest& request, const std::string& reason) override {
    passedOn_.failure(request, reason);
  }

 private:
  std::mutex mutex_;
  Content content_;
  PassedOn passedOn_;
};

class TrainingSession::Worker : public WorkerThread {
 public:
  using WorkerThread::WorkerThread;
};

TrainingSession::TrainingSession(std::shared_ptr<EngineCalls> engine, QObject* parent)
    : QObject(parent),
      engine_(std::move(engine)),
      worker_(std::make_unique<Worker>(kTrainingNiceness)) {
  drainTimer_.setTimerType(Qt::PreciseTimer);
  connect(&drainTimer_, &QTimer::timeout, this, &TrainingSession::drain);
}

TrainingSession::~TrainingSession() {
  if (control_) control_->requestStop();
  worker_.reset();
}

void TrainingSession::start(const RunConfig& config, const std::filesystem::path& runsFolder) {
  begin({[engine = engine_, config, runsFolder](RunControl& control, Observer& observer) {
    return engine->trainRun(config, runsFolder, control, observer);
  }});
}

void TrainingSession::resumeRun(const std::filesystem::path& run, const ResumeOptions& options) {
  begin({[engine = engine_, run, options](RunControl& control, Observer& observer) {
    return engine->resumeRun(run, options, control, observer);
  }});
}

void TrainingSession::fork(const std::filesystem::path& checkpoint,
                           const RunConfig& config,
                           const std::filesystem::path& runsFolder) {
  begin(
      {[engine = engine_, checkpoint, config, runsFolder](RunControl& control, Observer& observer) {
        return engine->forkRun(checkpoint, config, runsFolder, control, observer);
      }});
}

void TrainingSession::begin(Job job) {
  if (isBusy()) {
    Q_EMIT startRefused(tr("A training is under way. Stop it first, then start the next one."));
    return;
  }
  control_ = std::make_shared<RunControl>();
  status_ = {};
  metrics_ = {};
  const auto toSession = [this](auto call) {
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
  };
  mailbox_ = std::make_shared<Mailbox>(Mailbox::PassedOn{
      .opening =
          [this, toSession](Opening opening) {
            toSession([this, opening = std::move(opening)]() mutable { open(std::move(opening)); });
          },
      .snapshot =
          [this, toSession](const SnapshotPointer& snapshot) {
            toSession([this, snapshot] { inspections_.answer(snapshot); });
          },
      .failure =
          [this, toSession](const InspectionRequest& request, const std::string& reason) {
            toSession([this, request, reason = QString::fromStdString(reason)] {
              inspections_.fail(request, reason);
            });
          }});
  setState(SessionState::starting);
  drainTimer_.start();
  worker_->post([this, toSession, job = std::move(job), control = control_, mailbox = mailbox_] {
    try {
      const RunResult result = job.run(*control, *mailbox);
      toSession([this, result] { finish(result); });
    } catch (const std::exception& error) {
      const QString reason = QString::fromStdString(error.what());
      toSession([this, reason] { refuse(reason); });
    }
  });
}

void TrainingSession::open(Opening opening) {
  status_.run = opening.run;
  status_.record = std::move(opening.record);
  status_.batchesPerEpoch = opening.batchesPerEpoch;
  status_.trainingImages = opening.trainingImages;
  metrics_ = std::move(opening.earlier);
  if (!metrics_.batches.empty()) {
    status_.step = metrics_.batches.back().step;
    status_.epoch = metrics_.batches.back().epoch;
  }
  // A resumed run repeats its changes after the checkpoint, and they arrive then.
  std::erase_if(status_.record.changes,
                [this](const RunChange& each) { return each.step > status_.step; });
  if (state_ == SessionState::starting) setState(SessionState::running);
  inspections_.setTraining(control_);
  Q_EMIT started();
  Q_EMIT statusChanged();
}

void TrainingSession::pause() {
  if (state_ != SessionState::starting && state_ != SessionState::running) return;
  control_->pause();
  setState(SessionState::pausing);
}

void TrainingSession::resume() {
  if (state_ != SessionState::pausing && state_ != SessionState::paused) return;
  control_->resume();
  setState(status_.run.empty() ? SessionState::starting : SessionState::running);
}

void TrainingSession::stepOnce() {
  if (!isBusy() || state_ == SessionState::stopping) return;
  control_->stepOnce();
  setState(SessionState::pausing);
}

void TrainingSession::stop() {
  if (!isBusy() || state_ == SessionState::stopping) return;
  control_->requestStop();
  setState(SessionState::stopping);
}

void TrainingSession::requestChange(const ChangeRequest& request) {
  if (control_) control_->requestChange(request);
}

void TrainingSession::inspect(const InspectionRequest& request,
                              QObject& view,
                              Replies<SnapshotPointer> replies) {
  if (isBusy()) inspections_.add(request, view, std::move(replies));
}

void TrainingSession::cancelInspection(const QObject& view) {
  inspections_.remove(view);
}

void TrainingSession::setState(SessionState state) {
  if (state == state_) return;
  state_ = state;
  drainTimer_.setInterval(state == SessionState::pausing ? kPausingInterval : kDrainInterval);
  Q_EMIT stateChanged(state);
}

void TrainingSession::drain() {
  if (!mailbox_) return;
  // Before the run's folder is known, records belong to a run that the pages have not been notified
  // of.
  if (!status_.run.empty()) {
    Mailbox::Content content = mailbox_->take();
    status_.evaluation = content.evaluation;
    for (const RunChange& change : content.changes) take(change);
    for (const std::string& reason : content.refusals) {
      Q_EMIT changeRefused(QString::fromStdString(reason));
    }
    take(std::move(content.metrics));
    Q_EMIT statusChanged();
  }
  if (state_ == SessionState::pausing && control_->isHeld()) setState(SessionState::paused);
}

void TrainingSession::take(MetricsUpdate update) {
  if (update.batches.empty() && update.epochs.empty() && update.events.empty()) return;
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(metrics_.batches, update.batches);
  append(metrics_.epochs, update.epochs);
  append(metrics_.events, update.events);
  if (!update.batches.empty()) {
    const BatchRecord& last = update.batches.back();
    status_.step = last.step;
    status_.epoch = last.epoch;
    status_.imagesPerSecond = last.imagesPerSecond;
    const std::int64_t steps =
        static_cast<std::int64_t>(status_.record.config.recipe.epochs) * status_.batchesPerEpoch;
    const double images = static_cast<double>(std::max<std::int64_t>(0, steps - last.step)) *
                          status_.record.config.recipe.batchSize;
    status_.secondsLeft = last.imagesPerSecond > 0 ? images / last.imagesPerSecond : 0;
  }
  Q_EMIT metricsArrived(update);
}

void TrainingSession::take(const RunChange& change) {
  setLiveSettings(status_.record.config, change.after);
  std::vector<RunChange>& all = status_.record.changes;
  if (std::ranges::find(all, change) == all.end()) all.push_back(change);
  Q_EMIT settingsChanged(change);
}

void TrainingSession::finish(const RunResult& result) {
  drain();
  drainTimer_.stop();
  control_.reset();
  inspections_.setTraining(nullptr);
  status_.secondsLeft = 0;
  status_.evaluation = {};
  lastResult_ = result;
  setState(SessionState::idle);
  Q_EMIT statusChanged();
  Q_EMIT ended(result);
}

void TrainingSession::refuse(const QString& reason) {
  drainTimer_.stop();
  control_.reset();
  inspections_.setTraining(nullptr);
  setState(SessionState::idle);
  Q_EMIT statusChanged();
  Q_EMIT startRefused(reason);
}

}  // namespace lambda
