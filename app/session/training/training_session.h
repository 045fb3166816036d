#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/session/engine_calls.h"
#include "app/session/inspection/inspection_queue.h"
#include "app/session/training/training_mailbox.h"
#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_record.h"
#include "engine/values/run/run_request.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// The state of a training, from a person's view. Every request is allowed in every state; one that
/// makes no sense there is ignored.
///
///   idle -> starting -> running <-> pausing -> paused ; any of these -> stopping -> idle
///
/// `pausing`: a pause was requested and its last batch is still under way.
enum class SessionState { idle, starting, running, pausing, paused, stopping };

/// The progress of the training under way, for a status bar.
struct TrainingStatus {
  std::filesystem::path run;  ///< Empty before the run folder exists.
  RunRecord record;           ///< The record at the start, with the changes of settings since.
  std::int64_t step = 0;
  int epoch = 0;  ///< The current epoch, from 1.
  double imagesPerSecond = 0;
  double secondsLeft = 0;         ///< Estimate from the throughput; 0 = not known yet.
  EvaluationProgress evaluation;  ///< total 0 = not evaluating.
};

/// The only connection between Qt and a training: a long-lived worker thread that owns every
/// tensor; requests go in, values come out. Lives on the GUI thread, which never waits for the
/// worker except in the destructor: it requests a stop, which saves, and joins; a training of
/// another process goes on. Starts, ends and the answers to inspections arrive as queued calls;
/// batches through a mailbox emptied 10 times a second.
class TrainingSession : public QObject {
  Q_OBJECT

 public:
  explicit TrainingSession(EngineHandle engine, QObject* parent = nullptr);
  ~TrainingSession() override;

  SessionState state() const { return state_; }

  bool isBusy() const { return state_ != SessionState::idle; }

  const TrainingStatus& status() const { return status_; }

  /// All records of the training under way or the last one, including a resumed run's earlier
  /// records.
  const Metrics& metrics() const { return metrics_; }

  /// The result of the last training; none before the first one has ended.
  const std::optional<RunResult>& lastResult() const { return lastResult_; }

  // Requests. Each returns at once. A start while a training is under way is refused with
  // startRefused().
  void start(const RunConfig& config, const NewRunPlace& place);
  void resumeRun(const std::filesystem::path& run, const ResumeOptions& options);
  void fork(const std::filesystem::path& checkpoint,
            const RunConfig& config,
            const std::filesystem::path& runsFolder);
  /// Follows a run that another process trains, as watchRun() does, until that training ends or
  /// leave(). `ask` is called on the worker thread.
  void watch(const std::filesystem::path& run, std::function<void(const RunRequest&)> ask);
  void pause();
  void resume();    ///< Ends a pause.
  void stepOnce();  ///< Trains one batch, then pauses.
  void stop();      ///< Saves and ends.
  void leave();     ///< Ends watch() and lets the training go on; ignored for others.

  /// Whether another process trains the run.
  bool isWatching() const { return isBusy() && isWatching_; }

  /// Changes settings of the run at the next batch. Returns the number of the request, which its
  /// answer has: changeGranted() or changeRefused(). 0 while idle; then there is no answer.
  quint64 requestChange(ChangeRequest request);

  /// Inspects the network that is being trained, after the current batch and also while paused. A
  /// newer request of the same view replaces an older one; several views take turns. The future is
  /// cancelled while idle, and once the training has ended.
  QFuture<SnapshotPointer> inspect(const InspectionRequest& request, const QObject& view);

 Q_SIGNALS:
  void stateChanged(lambda::SessionState state);
  /// The run folder exists. metrics() and status() are those of this run.
  void started();
  /// metrics() has grown by these records; emitted at most 10 times a second.
  void metricsArrived(const lambda::MetricsUpdate& update);
  /// status() has changed; emitted at most 10 times a second.
  void statusChanged();
  /// The settings of the run were changed: status().record has them.
  void settingsChanged(const lambda::RunChange& change);
  /// A request for a change was granted. settingsChanged() came before, unless it changes nothing.
  void changeGranted(quint64 request);
  void changeRefused(quint64 request, const QString& reason);
  /// The training has finished, stopped or failed, as its result says. state() is idle.
  void ended(const lambda::RunResult& result);
  /// The training could not begin: a bad configuration, missing data, or a run that is trained
  /// elsewhere. state() is idle.
  void startRefused(const QString& reason);

 private:
  void begin(std::function<RunResult(RunControl&, Observer&)> run, bool isWatching = false);
  void open(TrainingOpening opening);
  void setState(SessionState state);
  void followControl();
  void drain();
  void finish(const RunResult& result);
  void refuse(const QString& reason);
  void take(MetricsUpdate update);
  void take(const TrainingMailbox::Change& change);
  void answerChange(quint64 request, const std::optional<std::string>& refusal);
  void end();

  EngineHandle engine_;
  std::shared_ptr<TrainingMailbox> mailbox_;
  std::shared_ptr<RunControl>
      control_;  ///< The control of the training under way; null while idle.
  QTimer drainTimer_;
  SessionState state_ = SessionState::idle;
  bool isWatching_ = false;  ///< The last run that was begun is trained by another process.
  TrainingStatus status_;
  Metrics metrics_;
  std::optional<RunResult> lastResult_;
  InspectionQueue inspections_;
  std::set<quint64> changeRequests_;  ///< Those that are not answered yet.
  quint64 lastChangeRequest_ = 0;
  Lane lane_;
  Work training_{*this};
};

}  // namespace lambda
