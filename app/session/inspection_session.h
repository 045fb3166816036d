#pragma once

#include <filesystem>
#include <memory>

#include <QObject>
#include <QString>

#include "app/session/engine_calls.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"
#include "engine/values/run/throughput_estimate.h"

namespace lambda {

/// Inspects checkpoints, classifies images and times steps, on worker threads with low priority, so
/// that neither the window nor a training waits for them: one thread for inspections, which
/// somebody waits for, and one for long tasks. Lives on the GUI thread. Each thread keeps the most
/// recently used checkpoints open. Every request returns at once with a number that comes back with
/// its answer, so that outdated answers can be recognised.
class InspectionSession : public QObject {
  Q_OBJECT

 public:
  explicit InspectionSession(std::shared_ptr<EngineCalls> engine, QObject* parent = nullptr);
  ~InspectionSession() override;

  /// Inspects a layer of a checkpoint; `run` is a run folder or a checkpoint file. `view`
  /// identifies the requester (the left and the right half of a comparison): of the waiting
  /// requests of one view only the newest is answered.
  quint64 inspect(const std::filesystem::path& run, const InspectionRequest& request, int view = 0);

  /// Classifies every image of a split; replaces a waiting or running one of the same checkpoint
  /// and split.
  quint64 predict(const std::filesystem::path& run, Split split);

  /// Times training steps on this machine; replaces a waiting or running one.
  quint64 estimateThroughput(const RunConfig& config, int steps);

  /// Determines which device a training would use, and why; replaces a waiting request. The query
  /// of a GPU's driver takes a while.
  quint64 selectDevice(const DeviceConfig& config);

  /// Ends a prediction or estimate within a batch; cancelled() is its answer.
  void cancel(quint64 id);

 Q_SIGNALS:
  void inspected(quint64 id, std::shared_ptr<const lambda::InspectionSnapshot> snapshot);
  void predicted(quint64 id, std::shared_ptr<const lambda::Predictions> predictions);
  void throughputEstimated(quint64 id, const lambda::ThroughputEstimate& estimate);
  void deviceSelected(quint64 id, const lambda::ComputeDevice& device, int cores);
  void progressed(quint64 id, qint64 done, qint64 total);
  void cancelled(quint64 id);
  /// What happened, why and what to do.
  void failed(quint64 id, const QString& reason);

 private:
  class Worker;

  std::unique_ptr<Worker> looks_;
  std::unique_ptr<Worker> longTasks_;
  quint64 lastId_ = 0;
};

}  // namespace lambda
