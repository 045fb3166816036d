#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/session/engine_calls.h"
#include "engine/values/inspection.h"
#include "engine/values/metrics.h"
#include "engine/values/run_config.h"
#include "engine/values/run_record.h"

namespace lambda {

/// What a training is doing, as far as a person can tell. Every wish is possible in every state;
/// one that makes no sense there is ignored.
///
///   idle -> starting -> running <-> pausing -> paused ; any of these -> stopping -> idle
///
/// `pausing` is a pause that was asked for and whose last batch is still under way.
enum class SessionState { idle, starting, running, pausing, paused, stopping };

/// What has arrived since the last time, in the order of its recording.
struct MetricsUpdate {
  std::vector<BatchRecord> batches;
  std::vector<EpochRecord> epochs;
  std::vector<EventRecord> events;
};

/// Where the training under way stands, for a status bar.
struct TrainingStatus {
  std::filesystem::path run;  ///< Empty before the run folder exists.
  RunRecord record;           ///< As it was at the start.
  int batchesPerEpoch = 0;
  std::int64_t trainingImages = 0;
  std::int64_t step = 0;
  int epoch = 0;  ///< The running one, from 1.
  double imagesPerSecond = 0;
  double secondsLeft = 0;         ///< Estimate from the throughput; 0 = not known yet.
  EvaluationProgress evaluation;  ///< total 0 = not evaluating.
};

/// The one bridge between Qt and a training: a long-lived worker thread that owns every tensor,
/// wishes in, values out. Lives on the GUI thread, which never waits for the worker except in the
/// destructor: it asks for a stop, which saves, and joins. Starts and ends come as queued calls;
/// batches and snapshots through a mailbox emptied 10 times a second, of snapshots the newest only.
class TrainingSession : public QObject {
  Q_OBJECT

 public:
  explicit TrainingSession(std::shared_ptr<EngineCalls> engine, QObject* parent = nullptr);
  ~TrainingSession() override;

  SessionState state() const { return state_; }

  bool isBusy() const { return state_ != SessionState::idle; }

  const TrainingStatus& status() const { return status_; }

  /// Everything that the training under way, or the last one, has recorded: a resumed run's earlier
  /// records included.
  const Metrics& metrics() const { return metrics_; }

  /// How the last training ended; nothing before the first one ended.
  const std::optional<RunResult>& lastResult() const { return lastResult_; }

  /// The newest snapshot of the training under way or the last one; may be null.
  std::shared_ptr<const InspectionSnapshot> snapshot() const { return snapshot_; }

  // Wishes. Each returns at once. A start while a training is under way is refused with
  // startRefused().
  void start(const RunConfig& config, const std::filesystem::path& runsFolder);
  void resumeRun(const std::filesystem::path& run, const ResumeOptions& options);
  void fork(const std::filesystem::path& checkpoint,
            const RunConfig& config,
            const std::filesystem::path& runsFolder);
  void pause();
  void resume();    ///< After a pause.
  void stepOnce();  ///< One more batch, then pause.
  void stop();      ///< Saves and ends.

  /// Looks into the network that is being trained, at the next batch; the newest request wins.
  /// Ignored while idle.
  void requestInspection(const InspectionRequest& request);

 Q_SIGNALS:
  void stateChanged(lambda::SessionState state);
  /// The run folder exists. metrics() and status() are those of this run.
  void started();
  /// metrics() has grown by this; at most 10 times a second.
  void metricsArrived(const lambda::MetricsUpdate& update);
  /// status() has changed; at most 10 times a second.
  void statusChanged();
  void inspected(std::shared_ptr<const lambda::InspectionSnapshot> snapshot);
  void inspectionFailed(const QString& reason);
  /// The training has ended, as its result says: finished, stopped or failed. state() is idle.
  void ended(const lambda::RunResult& result);
  /// The training could not begin: a bad configuration, missing data, a run that is trained
  /// elsewhere. state() is idle.
  void startRefused(const QString& reason);

 private:
  class Worker;
  class Mailbox;
  struct Job;

  void begin(Job job);
  void setState(SessionState state);
  void drain();
  void finish(const RunResult& result);
  void refuse(const QString& reason);
  void take(MetricsUpdate update);

  std::shared_ptr<EngineCalls> engine_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<RunControl> control_;  ///< Of the training under way; null while idle.
  QTimer drainTimer_;
  SessionState state_ = SessionState::idle;
  TrainingStatus status_;
  Metrics metrics_;
  std::optional<RunResult> lastResult_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace lambda
