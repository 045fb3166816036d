#include "app/session/inspection_session.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/worker_thread.h"
#include "engine/runtime/run_control.h"

namespace lambda {

namespace {

/// Beside a training: one thread with low priority.
constexpr int kInspectionNiceness = 10;
constexpr int kInspectionThreads = 1;

/// Both halves of a comparison and two more.
constexpr std::size_t kOpenCheckpoints = 4;

/// A request that waits or is under way. A newer one with the same key replaces it while it waits,
/// and a long one even while it runs.
struct Task {
  quint64 id = 0;
  std::string key;
  std::function<void()> run;
};

}  // namespace

/// Handles one request after the other on a worker thread.
class InspectionSession::Worker {
 public:
  Worker(InspectionSession& session, std::shared_ptr<EngineCalls> engine)
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
    std::vector<quint64> replaced;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(waiting_, [&](const Task& other) {
        if (other.key != task.key) return false;
        replaced.push_back(other.id);
        return true;
      });
      if (control_ && runningKey_ == task.key) control_->requestStop();
      waiting_.push_back(std::move(task));
    }
    for (const quint64 id : replaced)
      answer([id](InspectionSession& session) { Q_EMIT session.cancelled(id); });
    thread_->post([this] { runNext(); });
  }

  void cancel(quint64 id) {
    const std::lock_guard lock(mutex_);
    if (control_ && runningId_ == id) {
      control_->requestStop();
      return;
    }
    const auto removed = std::erase_if(waiting_, [id](const Task& task) { return task.id == id; });
    if (removed > 0) answer([id](InspectionSession& session) { Q_EMIT session.cancelled(id); });
  }

  EngineCalls& engine() { return *engine_; }

  RunControl& control() { return *control_; }

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
    open_.push_front({run, written, engine_->openCheckpoint(run, kInspectionThreads)});
    if (open_.size() > kOpenCheckpoints) open_.pop_back();
    return *open_.front().checkpoint;
  }

  /// Calls the session on the session's thread.
  void answer(std::function<void(InspectionSession&)> call) {
    QMetaObject::invokeMethod(
        &session_,
        [session = &session_, call = std::move(call)] { call(*session); },
        Qt::QueuedConnection);
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
      runningKey_ = task->key;
      runningId_ = task->id;
    }
    try {
      task->run();
    } catch (const std::exception& error) {
      answer([id = task->id, reason = QString::fromStdString(error.what())](
                 InspectionSession& session) { Q_EMIT session.failed(id, reason); });
    }
    const std::lock_guard lock(mutex_);
    control_.reset();
    runningKey_.clear();
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
  std::shared_ptr<EngineCalls> engine_;
  std::mutex mutex_;
  std::deque<Task> waiting_;
  std::shared_ptr<RunControl> control_;  // The control of the task under way.
  std::string runningKey_;
  quint64 runningId_ = 0;
  bool isEnding_ = false;
  std::deque<Open> open_;  // The most recently used first; only for the worker's thread.
  std::unique_ptr<WorkerThread> thread_;
};

InspectionSession::InspectionSession(std::shared_ptr<EngineCalls> engine, QObject* parent)
    : QObject(parent),
      looks_(std::make_unique<Worker>(*this, engine)),
      longTasks_(std::make_unique<Worker>(*this, std::move(engine))) {}

InspectionSession::~InspectionSession() = default;

quint64 InspectionSession::inspect(const std::filesystem::path& run,
                                   const InspectionRequest& request,
                                   int view) {
  const quint64 id = ++lastId_;
  InspectionRequest numbered = request;
  numbered.id = id;
  looks_->add({id, "inspect " + std::to_string(view), [worker = looks_.get(), run, numbered] {
                 auto snapshot = std::make_shared<const InspectionSnapshot>(
                     worker->checkpoint(run).inspect(numbered));
                 worker->answer([id = numbered.id, snapshot](InspectionSession& session) {
                   Q_EMIT session.inspected(id, snapshot);
                 });
               }});
  return id;
}

quint64 InspectionSession::predict(const std::filesystem::path& run, Split split) {
  const quint64 id = ++lastId_;
  const std::string key = "predict " + std::string(nameOf(split)) + " " + run.string();
  longTasks_->add(
      {id, key, [worker = longTasks_.get(), run, split, id] {
         std::optional<Predictions> found =
             worker->checkpoint(run).predict(split, [&](std::int64_t done, std::int64_t total) {
               worker->answer([id, done, total](InspectionSession& session) {
                 Q_EMIT session.progressed(id, done, total);
               });
               return worker->control().next() != RunControl::Turn::stop;
             });
         if (!found) {
           worker->answer([id](InspectionSession& session) { Q_EMIT session.cancelled(id); });
           return;
         }
         auto predictions = std::make_shared<const Predictions>(std::move(*found));
         worker->answer([id, predictions](InspectionSession& session) {
           Q_EMIT session.predicted(id, predictions);
         });
       }});
  return id;
}

quint64 InspectionSession::estimateThroughput(const RunConfig& config, int steps) {
  const quint64 id = ++lastId_;

  class Progress : public Observer {
   public:
    Progress(Worker& worker, quint64 id) : worker_(worker), id_(id) {}

    void evaluated(const EvaluationProgress& progress) override {
      worker_.answer(
          [id = id_, done = progress.done, total = progress.total](InspectionSession& session) {
            Q_EMIT session.progressed(id, done, total);
          });
    }

   private:
    Worker& worker_;
    quint64 id_;
  };

  longTasks_->add({id, "estimateThroughput", [worker = longTasks_.get(), config, steps, id] {
                     Progress progress(*worker, id);
                     const std::optional<ThroughputEstimate> estimate =
                         worker->engine().estimateThroughput(
                             config, steps, worker->control(), progress);
                     worker->answer([id, estimate](InspectionSession& session) {
                       if (estimate) {
                         Q_EMIT session.throughputEstimated(id, *estimate);
                       } else {
                         Q_EMIT session.cancelled(id);
                       }
                     });
                   }});
  return id;
}

quint64 InspectionSession::selectDevice(const DeviceConfig& config) {
  const quint64 id = ++lastId_;
  looks_->add({id, "device", [worker = looks_.get(), config, id] {
                 const ComputeDevice device = worker->engine().selectDevice(config);
                 worker->answer([id, device, cores = worker->engine().availableCores()](
                                    InspectionSession& session) {
                   Q_EMIT session.deviceSelected(id, device, cores);
                 });
               }});
  return id;
}

void InspectionSession::cancel(quint64 id) {
  looks_->cancel(id);
  longTasks_->cancel(id);
}

}  // namespace lambda
