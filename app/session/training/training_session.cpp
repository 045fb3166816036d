#include "app/session/training/training_session.h"

#include <algorithm>
#include <utility>

#include "engine/runs/requests/watched_run.h"

using namespace Qt::StringLiterals;

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

TrainingSession::TrainingSession(EngineHandle engine, QObject* parent)
    : QObject(parent), engine_(std::move(engine)), lane_(kTrainingNiceness) {
  drainTimer_.setTimerType(Qt::PreciseTimer);
  connect(&drainTimer_, &QTimer::timeout, this, &TrainingSession::drain);
}

TrainingSession::~TrainingSession() {
  if (control_) control_->leave();
}

void TrainingSession::start(const RunConfig& config, const NewRunPlace& place) {
  begin([engine = engine_, config, place](RunControl& control, Observer& observer) {
    return engine->trainRun(config, place, control, observer);
  });
}

void TrainingSession::resumeRun(const std::filesystem::path& run, const ResumeOptions& options) {
  begin([engine = engine_, run, options](RunControl& control, Observer& observer) {
    return engine->resumeRun(run, options, control, observer);
  });
}

void TrainingSession::fork(const std::filesystem::path& checkpoint,
                           const RunConfig& config,
                           const std::filesystem::path& runsFolder) {
  begin(
      [engine = engine_, checkpoint, config, runsFolder](RunControl& control, Observer& observer) {
        return engine->forkRun(checkpoint, config, runsFolder, control, observer);
      });
}

void TrainingSession::watch(const std::filesystem::path& run,
                            std::function<void(const RunRequest&)> ask) {
  begin(
      [run, ask = std::move(ask)](RunControl& control, Observer& observer) {
        return watchRun(run, ask, control, observer);
      },
      true);
}

void TrainingSession::leave() {
  if (!isWatching()) return;
  control_->leave();
  setState(SessionState::stopping);
}

void TrainingSession::begin(std::function<RunResult(RunControl&, Observer&)> run, bool isWatching) {
  if (isBusy()) {
    Q_EMIT startRefused(u"A training is under way. Stop it first, then start the next one."_s);
    return;
  }
  control_ = std::make_shared<RunControl>();
  isWatching_ = isWatching;
  status_ = {};
  metrics_ = {};
  const auto toSession = [this](auto call) {
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
  };
  mailbox_ = std::make_shared<TrainingMailbox>(TrainingMailbox::PassedOn{
      .opening =
          [this, toSession](TrainingOpening opening) {
            toSession([this, opening = std::move(opening)]() mutable { open(std::move(opening)); });
          },
      .snapshot =
          [this, toSession](const SnapshotPointer& snapshot) {
            toSession([this, snapshot] { inspections_.answer(snapshot); });
          },
      .failure =
          [this, toSession](const InspectionRequest& request, const std::string& reason) {
            toSession([this, request, reason] { inspections_.fail(request, reason); });
          }});
  setState(SessionState::starting);
  drainTimer_.start();
  training_.follow(
      lane_.run([run = std::move(run), control = control_, mailbox = mailbox_] {
        return run(*control, *mailbox);
      }),
      [this](const RunResult& result) { finish(result); },
      [this](const QString& reason) { refuse(reason); });
}

void TrainingSession::open(TrainingOpening opening) {
  status_.run = opening.run;
  status_.record = std::move(opening.record);
  metrics_ = std::move(opening.earlier);
  if (!metrics_.batches.empty()) {
    status_.step = metrics_.batches.back().step;
    status_.epoch = metrics_.batches.back().epoch;
  }
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

quint64 TrainingSession::requestChange(ChangeRequest request) {
  if (!control_) return 0;
  request.id = ++lastChangeRequest_;
  changeRequests_.insert(request.id);
  control_->requestChange(request);
  return request.id;
}

QFuture<SnapshotPointer> TrainingSession::inspect(const InspectionRequest& request,
                                                  const QObject& view) {
  return isBusy() ? inspections_.add(request, view) : QFuture<SnapshotPointer>();
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
    TrainingMailbox::Content content = mailbox_->take();
    status_.evaluation = content.evaluation;
    for (const TrainingMailbox::Change& change : content.changes) take(change);
    for (const TrainingMailbox::ChangeAnswer& answer : content.answers) {
      answerChange(answer.request, answer.refusal);
    }
    take(std::move(content.metrics));
    Q_EMIT statusChanged();
  }
  followControl();
}

/// The state that the control is in, which another process may have changed.
void TrainingSession::followControl() {
  switch (control_->mode()) {
    case RunControl::Mode::running:
      if (state_ == SessionState::pausing || state_ == SessionState::paused) {
        setState(SessionState::running);
      }
      break;
    case RunControl::Mode::paused:
      if (state_ == SessionState::running) setState(SessionState::pausing);
      if (state_ == SessionState::pausing && control_->isHeld()) setState(SessionState::paused);
      break;
    case RunControl::Mode::stopping:
      setState(SessionState::stopping);
      break;
  }
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
    const std::int64_t steps = static_cast<std::int64_t>(status_.record.config.recipe.epochs) *
                               status_.record.batchesPerEpoch;
    const double images = static_cast<double>(std::max<std::int64_t>(0, steps - last.step)) *
                          status_.record.config.recipe.batchSize;
    status_.secondsLeft = last.imagesPerSecond > 0 ? images / last.imagesPerSecond : 0;
  }
  Q_EMIT metricsArrived(update);
}

void TrainingSession::take(const TrainingMailbox::Change& change) {
  setLiveSettings(status_.record.config, change.change.after);
  std::vector<RunChange>& all = status_.record.changes;
  all.resize(std::min(all.size(), change.index));
  all.push_back(change.change);
  Q_EMIT settingsChanged(change.change);
}

void TrainingSession::answerChange(quint64 request, const std::optional<std::string>& refusal) {
  if (changeRequests_.erase(request) == 0) return;
  if (refusal) {
    Q_EMIT changeRefused(request, QString::fromStdString(*refusal));
  } else {
    Q_EMIT changeGranted(request);
  }
}

void TrainingSession::end() {
  drainTimer_.stop();
  control_.reset();
  inspections_.setTraining(nullptr);
  const std::string reason = "the training has ended";
  for (const quint64 request : std::set<quint64>(changeRequests_)) answerChange(request, reason);
  setState(SessionState::idle);
  Q_EMIT statusChanged();
}

void TrainingSession::finish(const RunResult& result) {
  drain();
  status_.secondsLeft = 0;
  status_.evaluation = {};
  lastResult_ = result;
  end();
  Q_EMIT ended(result);
}

void TrainingSession::refuse(const QString& reason) {
  end();
  Q_EMIT startRefused(reason);
}

}  // namespace lambda
