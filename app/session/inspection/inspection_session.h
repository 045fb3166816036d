#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "app/session/engine_calls.h"
#include "app/session/inspection/image_cache.h"
#include "app/session/inspection/inspection_queue.h"
#include "app/session/inspection/prediction_store.h"
#include "app/session/replies.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"
#include "engine/values/run/throughput_estimate.h"

namespace lambda {

/// The device that a training would use, with the reason for it.
struct DeviceChoice {
  ComputeDevice device;
  int cores = 0;  ///< Available cores of this machine.
};

using StatementResults = std::vector<StatementResult>;

/// Inspects checkpoints, classifies images and times steps, on worker threads with low priority, so
/// that neither the window nor a training waits for them: one thread for inspections, which
/// somebody waits for, and one for long tasks. Lives on the GUI thread. Each thread keeps the most
/// recently used checkpoints open.
///
/// Every request returns at once; its replies go to the one who asked, and end when `context` is
/// destroyed. A newer request of the same kind by the same context replaces an older one, which
/// then gets no reply. The returned number serves to cancel it.
class InspectionSession : public QObject {
  Q_OBJECT

 public:
  explicit InspectionSession(EngineHandle engine, QObject* parent = nullptr);
  ~InspectionSession() override;

  /// Inspects a layer of a checkpoint; `run` is a run folder or a checkpoint file.
  quint64 inspect(const std::filesystem::path& run,
                  const InspectionRequest& request,
                  QObject& context,
                  Replies<SnapshotPointer> replies);

  /// Classifies every image of a split; only a request for the same checkpoint and split replaces
  /// it. Pages ask predictions().
  quint64 predict(const std::filesystem::path& run,
                  Split split,
                  QObject& context,
                  Replies<PredictionsPointer> replies);

  /// Times training steps on this machine, on data that is looked for as on all pages.
  quint64 estimateThroughput(const RunConfig& config,
                             int steps,
                             QObject& context,
                             Replies<ThroughputEstimate> replies);

  /// Finds what a training would take from the weights that it starts from.
  quint64 previewStart(const RunConfig& config,
                       const std::vector<std::string>& classNames,
                       QObject& context,
                       Replies<WeightTransfer> replies);

  /// Determines which device a training would use, and why. The query of a GPU's driver takes a
  /// while.
  quint64 selectDevice(const DeviceConfig& config, QObject& context, Replies<DeviceChoice> replies);

  /// Checks the statements of the papers. `checked` gets each result as soon as it is known, with
  /// the number of all statements; the answer has them all.
  quint64 verifyStatements(QObject& context,
                           Replies<StatementResults> replies,
                           std::function<void(const StatementResult& result, int count)> checked);

  /// Ends a request: a long task ends within a batch. No reply follows. A number without a request
  /// is ignored.
  void cancel(quint64 id);

  /// Threads of each inspection, from the next checkpoint that is opened.
  void setThreads(int threads) { threads_ = threads; }

  /// The images of data sets, for all pages.
  ImageCache& images() { return images_; }

  /// The predictions of checkpoints, for all pages.
  PredictionStore& predictions() { return predictions_; }

 private:
  class Worker;

  /// A request without its last reply.
  struct Pending {
    std::string key;  ///< The kind of request and its context: a newer one replaces it.
    Worker* worker = nullptr;
    std::shared_ptr<void> replies;
    QMetaObject::Connection whenDestroyed;
  };

  template <class Result, class Work>
  quint64 ask(Worker& worker,
              const std::string& kind,
              QObject& context,
              Replies<Result> replies,
              Work work);

  std::atomic<int> threads_{1};
  std::unique_ptr<Worker> looks_;
  std::unique_ptr<Worker> longTasks_;
  std::map<quint64, Pending> pending_;
  quint64 lastId_ = 0;
  ImageCache images_;
  PredictionStore predictions_{*this};
};

}  // namespace lambda
