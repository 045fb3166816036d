#include "app/session/training_queue.h"

#include <algorithm>
#include <utility>

#include "app/session/training_session.h"
#include "app/session/worker_thread.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/queue_json.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kLargestQueue = 16 << 20;

/// A name beside the file that is still free.
fs::path asideOf(const fs::path& file) {
  std::error_code error;
  fs::path aside = file.string() + ".damaged";
  for (int i = 2; fs::exists(aside, error); ++i) {
    aside = file.string() + ".damaged-" + std::to_string(i);
  }
  return aside;
}

/// Reads the queue, and sets a damaged file aside. Returns what the person must know of it.
QString readQueue(const fs::path& file, std::vector<QueuedRun>& queue) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  try {
    queue = queueFromJson(readFile(file, kLargestQueue), file.string());
    return {};
  } catch (const Error& failure) {
    const fs::path aside = asideOf(file);
    fs::rename(file, aside, error);
    const QString reason = QString::fromStdString(failure.what());
    if (error) return TrainingQueue::tr("Could not read the queue of runs. %1").arg(reason);
    return TrainingQueue::tr("Could not read the queue of runs. %1\nThe file is kept as %2.")
        .arg(reason, toText(aside));
  }
}

QString writeQueue(const fs::path& file, const std::string& text) {
  try {
    fs::create_directories(file.parent_path());
    writeFileDurably(file, text);
    return {};
  } catch (const std::exception& failure) {
    return TrainingQueue::tr("Could not store the queue of runs. %1")
        .arg(QString::fromStdString(failure.what()));
  }
}

}  // namespace

/// The file and the thread that reads and writes it.
struct TrainingQueue::Store {
  explicit Store(fs::path path) : file(std::move(path)) {}

  /// Writes what is not written yet.
  ~Store() {
    thread.reset();
    if (latest != written) writeQueue(file, latest);
  }

  fs::path file;
  std::string latest;   ///< The newest content.
  std::string written;  ///< On `thread`, and after its end.
  std::unique_ptr<WorkerThread> thread = std::make_unique<WorkerThread>(0);
};

TrainingQueue::TrainingQueue(TrainingSession& session, QObject* parent)
    : QObject(parent), session_(session) {
  connect(&session_, &TrainingSession::started, this, &TrainingQueue::noteStarted);
  connect(&session_, &TrainingSession::startRefused, this, &TrainingQueue::noteRefused);
  connect(&session_, &TrainingSession::ended, this, &TrainingQueue::noteEnded);
}

TrainingQueue::~TrainingQueue() {
  if (!store_ || isRead_ || runs_.empty()) return;
  // What was queued before the file's content had arrived is stored behind that.
  store_->thread.reset();
  std::vector<QueuedRun> all;
  readQueue(store_->file, all);
  all.insert(all.end(), runs_.begin(), runs_.end());
  store_->latest = toJson(all);
}

void TrainingQueue::setRunsFolder(const fs::path& folder) {
  runsFolder_ = folder;
}

void TrainingQueue::setFile(const fs::path& file) {
  isRead_ = false;
  store_ = std::make_unique<Store>(file);
  store_->thread->post([this, file] {
    std::vector<QueuedRun> stored;
    const QString problem = readQueue(file, stored);
    QMetaObject::invokeMethod(
        this,
        [this, stored = std::move(stored), problem] { takeStored(stored, problem); },
        Qt::QueuedConnection);
  });
}

void TrainingQueue::takeStored(std::vector<QueuedRun> stored, const QString& problem) {
  isRead_ = true;
  const bool isAdded = !runs_.empty();
  isWaiting_ = isWaiting_ || !stored.empty();
  if (starting_) *starting_ += stored.size();
  runs_.insert(runs_.begin(),
               std::make_move_iterator(stored.begin()),
               std::make_move_iterator(stored.end()));
  if (isAdded) store();
  if (!problem.isEmpty()) Q_EMIT fileFailed(problem);
  if (!runs_.empty()) Q_EMIT changed();
}

void TrainingQueue::store() {
  if (!store_ || !isRead_) return;
  store_->latest = toJson(runs_);
  store_->thread->post([this, store = store_.get(), text = store_->latest] {
    const QString problem = writeQueue(store->file, text);
    if (problem.isEmpty()) {
      store->written = text;
      return;
    }
    QMetaObject::invokeMethod(
        this, [this, problem] { Q_EMIT fileFailed(problem); }, Qt::QueuedConnection);
  });
}

void TrainingQueue::add(const RunConfig& config) {
  runs_.push_back({config, {}});
  // While nothing trains, nothing would begin it.
  if (!session_.isBusy()) isWaiting_ = true;
  store();
  Q_EMIT changed();
}

void TrainingQueue::remove(int index) {
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= runs_.size() || starting_ == at) return;
  runs_.erase(runs_.begin() + index);
  if (starting_ && *starting_ > at) --*starting_;
  if (runs_.empty()) isWaiting_ = false;
  store();
  Q_EMIT changed();
}

void TrainingQueue::move(int from, int to) {
  const int count = static_cast<int>(runs_.size());
  if (starting_ || from == to || std::min(from, to) < 0 || std::max(from, to) >= count) return;
  const auto at = runs_.begin();
  if (from < to) {
    std::rotate(at + from, at + from + 1, at + to + 1);
  } else {
    std::rotate(at + to, at + from, at + from + 1);
  }
  store();
  Q_EMIT changed();
}

void TrainingQueue::trainNext() {
  isWaiting_ = false;
  for (QueuedRun& each : runs_) each.obstacle.clear();
  Q_EMIT changed();
  beginNext();
}

void TrainingQueue::beginNext() {
  if (session_.isBusy() || isWaiting_ || starting_) return;
  const auto next =
      std::ranges::find_if(runs_, [](const QueuedRun& each) { return each.obstacle.empty(); });
  if (next == runs_.end()) {
    isWaiting_ = !runs_.empty();
    Q_EMIT changed();
    return;
  }
  starting_ = static_cast<std::size_t>(next - runs_.begin());
  session_.start(next->config, runsFolder_);
}

void TrainingQueue::noteStarted() {
  if (!starting_) return;
  // Its folder exists: from here on it is a run that can be resumed.
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(*std::exchange(starting_, {})));
  store();
  Q_EMIT changed();
}

void TrainingQueue::noteRefused(const QString& reason) {
  if (session_.isBusy()) return;
  if (!starting_) {
    // A start by hand: nothing begins the next run by itself.
    isWaiting_ = !runs_.empty();
    Q_EMIT changed();
    return;
  }
  runs_[*std::exchange(starting_, {})].obstacle = reason.toStdString();
  store();
  Q_EMIT changed();
  QMetaObject::invokeMethod(this, &TrainingQueue::beginNext, Qt::QueuedConnection);
}

void TrainingQueue::noteEnded(const RunResult& result) {
  if (runs_.empty()) return;
  if (result.status == RunStatus::stopped) {
    isWaiting_ = true;
    Q_EMIT changed();
    return;
  }
  // The pages show the result first.
  QMetaObject::invokeMethod(this, &TrainingQueue::beginNext, Qt::QueuedConnection);
}

}  // namespace lambda
