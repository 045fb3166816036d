#include "app/session/inspection/inspection_session.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/data_location.h"
#include "app/session/worker_thread.h"
#include "engine/runtime/run_control.h"

namespace lambda {

namespace {

/// Below a training.
constexpr int kInspectionNiceness = 10;

/// Both halves of a comparison and two more.
constexpr std::size_t kOpenCheckpoints = 4;

}  // namespace

/// Handles one request after the other on a worker thread.
class InspectionSession::Worker {
 public:
  /// A request that waits or is under way.
  struct Task {
    quint64 id = 0;
    std::function<void(RunControl&)> run;
  };

  Worker(InspectionSession& session, EngineHandle engine)
      : session_(session),
        engine_(std::move(engine)),
        thread_(std::make_unique<WorkerThread>(kInspectionNiceness)) {}

  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      waiting_.clear();
      if (control_) control_->requestStop();
      isEnding_ = true;
    }
    // The checkpoints' tensors are destroyed on the thread that created them.
    thread_->post([this] { open_.clear(); });
    waitForLastTask();
    thread_.reset();
  }

  void add(Task task) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(task));
    }
    thread_->post([this] { runNext(); });
  }

  void cancel(quint64 id) {
    const std::lock_guard lock(mutex_);
    if (control_ && runningId_ == id) {
      control_->requestStop();
    } else {
      std::erase_if(waiting_, [id](const Task& task) { return task.id == id; });
    }
  }

  EngineHandle& engine() { return engine_; }

  /// The checkpoint, newly opened or still open. A file that was written again is opened again.
  OpenCheckpoint& checkpoint(const std::filesystem::path& run) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(
        std::filesystem::is_directory(run, error) ? run / "checkpoints" : run, error);
    const auto found =
        std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.run == run; });
    if (found != open_.end() && found->written == written) {
      std::rotate(open_.begin(), found, found + 1);
      return *open_.front().checkpoint;
    }
    if (found != open_.end()) open_.erase(found);
    open_.push_front({run, written, engine_->openCheckpoint(run, session_.threads_)});
    if (open_.size() > kOpenCheckpoints) open_.pop_back();
    return *open_.front().checkpoint;
  }

  /// Calls on the session's thread.
  void post(std::function<void()> call) {
    QMetaObject::invokeMethod(&session_, std::move(call), Qt::QueuedConnection);
  }

 private:
  struct Open {
    std::filesystem::path run;
    std::filesystem::file_time_type written;
    std::unique_ptr<OpenCheckpoint> checkpoint;
  };

  void runNext() {
    std::optional<Task> task;
    {
      const std::lock_guard lock(mutex_);
      if (isEnding_ || waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
      control_ = std::make_shared<RunControl>();
      runningId_ = task->id;
    }
    task->run(*control_);
    const std::lock_guard lock(mutex_);
    control_.reset();
    runningId_ = 0;
  }

  /// WorkerThread drops tasks that have not begun; the last task here must run.
  void waitForLastTask() {
    std::mutex mutex;
    std::condition_variable done;
    bool isDone = false;
    thread_->post([&] {
      const std::lock_guard lock(mutex);
      isDone = true;
      done.notify_all();
    });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return isDone; });
  }

  InspectionSession& session_;
  EngineHandle engine_;
  std::mutex mutex_;
  std::deque<Task> waiting_;
  std::shared_ptr<RunControl> control_;  // The control of the task under way.
  quint64 runningId_ = 0;
  bool isEnding_ = false;
  std::deque<Open> open_;  // The most recently used first; only for the worker's thread.
  std::unique_ptr<WorkerThread> thread_;
};

InspectionSession::InspectionSession(EngineHandle engine, QObject* parent)
    : QObject(parent),
      looks_(std::make_unique<Worker>(*this, engine)),
      longTasks_(std::make_unique<Worker>(*this, std::move(engine))) {}

InspectionSession::~InspectionSession() = default;

/// `work` returns nothing where it was cancelled. Only this thread uses the replies: the worker's
/// calls lock them here, and find nothing once the request is no longer pending.
template <class Result, class Work>
quint64 InspectionSession::ask(
    Worker& worker, const std::string& kind, QObject& context, Replies<Result> replies, Work work) {
  const std::string key = kind + ' ' + std::to_string(reinterpret_cast<std::uintptr_t>(&context));
  const auto older = std::ranges::find(
      pending_, key, [](const auto& entry) -> const std::string& { return entry.second.key; });
  if (older != pending_.end()) cancel(older->first);
  const quint64 id = ++lastId_;
  auto kept = std::make_shared<Replies<Result>>(std::move(replies));
  const std::weak_ptr<Replies<Result>> known = kept;
  pending_[id] = {
      .key = key,
      .worker = &worker,
      .replies = std::move(kept),
      .whenDestroyed = connect(&context, &QObject::destroyed, this, [this, id] { cancel(id); })};
  worker.add({id, [this, id, known, &worker, work = std::move(work)](RunControl& control) {
                const auto progress = [&](std::int64_t done, std::int64_t total) {
                  worker.post([known, done, total] {
                    const auto to = known.lock();
                    if (to && to->progressed) to->progressed(done, total);
                  });
                  return control.next() != RunControl::Turn::stop;
                };
                std::optional<Result> result;
                QString problem;
                try {
                  result = work(control, progress);
                } catch (const std::exception& error) {
                  problem = QString::fromStdString(error.what());
                }
                worker.post([this, id, known, result = std::move(result), problem] {
                  const auto to = known.lock();
                  cancel(id);
                  if (!to) return;
                  if (result) {
                    to->answered(*result);
                  } else if (to->failed && !problem.isEmpty()) {
                    to->failed(problem);
                  }
                });
              }});
  return id;
}

quint64 InspectionSession::inspect(const std::filesystem::path& run,
                                   const InspectionRequest& request,
                                   QObject& context,
                                   Replies<SnapshotPointer> replies) {
  return ask(*looks_,
             "inspect",
             context,
             std::move(replies),
             [worker = looks_.get(), run, request](auto&, const auto&) {
               return std::optional<SnapshotPointer>(std::make_shared<const InspectionSnapshot>(
                   worker->checkpoint(run).inspect(request)));
             });
}

quint64 InspectionSession::predict(const std::filesystem::path& run,
                                   Split split,
                                   QObject& context,
                                   Replies<PredictionsPointer> replies) {
  return ask(*longTasks_,
             "predict " + std::string(nameOf(split)) + ' ' + run.string(),
             context,
             std::move(replies),
             [worker = longTasks_.get(), run, split](auto&, const auto& progress) {
               std::optional<Predictions> found = worker->checkpoint(run).predict(split, progress);
               std::optional<PredictionsPointer> shared;
               if (found) shared = std::make_shared<const Predictions>(std::move(*found));
               return shared;
             });
}

quint64 InspectionSession::estimateThroughput(const RunConfig& config,
                                              int steps,
                                              QObject& context,
                                              Replies<ThroughputEstimate> replies) {
  class Progress : public Observer {
   public:
    explicit Progress(std::function<void(std::int64_t, std::int64_t)> report)
        : report_(std::move(report)) {}

    void evaluated(const EvaluationProgress& progress) override {
      report_(progress.done, progress.total);
    }

   private:
    std::function<void(std::int64_t, std::int64_t)> report_;
  };

  return ask(*longTasks_,
             "estimate",
             context,
             std::move(replies),
             [worker = longTasks_.get(), config, steps, folder = standardDataFolder()](
                 RunControl& control, const auto& progress) {
               Progress observer(progress);
               RunConfig located = config;
               located.data.source = locatedSource(config.data.source, folder);
               return worker->engine()->estimateThroughput(located, steps, control, observer);
             });
}

quint64 InspectionSession::previewStart(const RunConfig& config,
                                        const std::vector<std::string>& classNames,
                                        QObject& context,
                                        Replies<WeightTransfer> replies) {
  return ask(
      *looks_,
      "start",
      context,
      std::move(replies),
      [worker = looks_.get(), config, classNames](auto&, const auto&) {
        return std::optional<WeightTransfer>(worker->engine()->previewStart(config, classNames));
      });
}

quint64 InspectionSession::selectDevice(const DeviceConfig& config,
                                        QObject& context,
                                        Replies<DeviceChoice> replies) {
  return ask(*looks_,
             "device",
             context,
             std::move(replies),
             [worker = looks_.get(), config](auto&, const auto&) {
               return std::optional<DeviceChoice>(
                   {worker->engine()->selectDevice(config), worker->engine()->availableCores()});
             });
}

quint64 InspectionSession::verifyStatements(
    QObject& context,
    Replies<StatementResults> replies,
    std::function<void(const StatementResult& result, int count)> checked) {
  // Is destroyed together with the replies.
  const auto kept = std::make_shared<decltype(checked)>(std::move(checked));
  const std::weak_ptr<decltype(checked)> known = kept;
  replies.answered = [answered = std::move(replies.answered), kept](const StatementResults& all) {
    answered(all);
  };
  return ask(*longTasks_,
             "verify",
             context,
             std::move(replies),
             [worker = longTasks_.get(), known](RunControl& control, const auto&) {
               StatementResults all;
               worker->engine()->verifyStatements([&](const StatementResult& result, int count) {
                 all.push_back(result);
                 worker->post([known, result, count] {
                   if (const auto to = known.lock()) (*to)(result, count);
                 });
                 return control.next() != RunControl::Turn::stop;
               });
               return std::optional(std::move(all));
             });
}

void InspectionSession::cancel(quint64 id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  disconnect(found->second.whenDestroyed);
  found->second.worker->cancel(id);
  pending_.erase(found);
}

}  // namespace lambda
