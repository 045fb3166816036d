#include "app/session/training/training_queue.h"

#include <algorithm>
#include <utility>

#include "app/session/training/queue_file.h"
#include "app/session/training/training_session.h"
#include "engine/runs/run_folder.h"

using namespace Qt::StringLiterals;

namespace lambda {

TrainingQueue::TrainingQueue(TrainingSession& session, QObject* parent)
    : QObject(parent), session_(session) {
  connect(&session_, &TrainingSession::started, this, &TrainingQueue::noteStarted);
  connect(&session_, &TrainingSession::startRefused, this, &TrainingQueue::noteRefused);
  connect(&session_, &TrainingSession::ended, this, &TrainingQueue::noteEnded);
}

TrainingQueue::~TrainingQueue() {
  // What was queued before the file's content had arrived is stored behind that.
  if (file_ && !file_->isOpen() && !runs_.empty()) file_->appendAtLast(runs_);
}

void TrainingQueue::setRunsFolder(const std::filesystem::path& folder) {
  runsFolder_ = folder;
}

void TrainingQueue::setFile(const std::filesystem::path& file) {
  file_ = std::make_unique<QueueFile>(file);
  connect(file_.get(), &QueueFile::opened, this, &TrainingQueue::takeStored);
  connect(file_.get(), &QueueFile::ownedElsewhere, this, [this](const QString& owner) {
    const QString text =
        runs_.empty() ? owner
                      : owner + u" The runs in the list are kept while this window is open."_s;
    if (owner_ == text) return;
    owner_ = text;
    Q_EMIT changed();
  });
  connect(file_.get(), &QueueFile::written, this, [this](const QString& problem) {
    if (writeProblem_ != problem) {
      writeProblem_ = problem;
      Q_EMIT changed();
    }
    if (std::exchange(isMarking_, false)) beginMarked();
  });
}

QString TrainingQueue::fileProblem() const {
  return writeProblem_.isEmpty() ? readProblem_ : writeProblem_;
}

void TrainingQueue::dismissFileProblem() {
  readProblem_.clear();
  writeProblem_.clear();
  Q_EMIT changed();
}

void TrainingQueue::takeStored(const std::vector<QueuedRun>& stored, const QString& problem) {
  owner_.clear();
  readProblem_ = problem;
  std::vector<QueuedRun> added = std::exchange(runs_, {});
  for (const QueuedRun& run : stored) take(run);
  if (starting_) *starting_ += runs_.size();
  isWaiting_ = isWaiting_ || !runs_.empty();
  runs_.insert(runs_.end(), added.begin(), added.end());
  if (!added.empty()) store();
  Q_EMIT changed();
}

void TrainingQueue::store() {
  if (file_ && file_->isOpen()) file_->write(runs_);
}

void TrainingQueue::take(QueuedRun run) {
  run.id = ++lastId_;
  runs_.push_back(std::move(run));
}

QString TrainingQueue::add(const RunConfig& config) {
  if (!owner_.isEmpty()) return owner_;
  if (runs_.size() >= kMostQueuedRuns) {
    return u"The queue is full: it has %1 runs. Remove some of them first."_s.arg(runs_.size());
  }
  take({config, {}});
  // While nothing trains, nothing would begin it.
  if (!session_.isBusy()) isWaiting_ = true;
  store();
  Q_EMIT changed();
  return {};
}

void TrainingQueue::remove(int index) {
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= runs_.size() || starting_ == at) return;
  runs_.erase(runs_.begin() + index);
  if (starting_ && *starting_ > at) --*starting_;
  if (runs_.empty()) endWaiting();
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

void TrainingQueue::endWaiting() {
  isWaiting_ = false;
  stopped_.clear();
}

void TrainingQueue::trainNext() {
  endWaiting();
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
  const RunConfig& config = next->config;
  const std::string& name = config.name.empty() ? config.architecture.name : config.name;
  next->begun = (runsFolder_ / RunFolder::freeName(runsFolder_, name)).string();
  if (file_ && file_->isOpen()) {
    isMarking_ = true;
    store();
  } else {
    beginMarked();
  }
  Q_EMIT changed();
}

void TrainingQueue::beginMarked() {
  QueuedRun& next = runs_[*starting_];
  if (session_.isBusy()) {
    // A person has started another training meanwhile, behind which the run waits.
    starting_.reset();
    next.begun.clear();
    return store();
  }
  const std::filesystem::path run = next.begun;
  session_.start(next.config, {run.parent_path(), run.filename().string()});
}

void TrainingQueue::noteStarted() {
  if (!starting_ || isMarking_) {
    // Whoever takes the stop back wants what was to follow, too.
    if (stopped_.empty() || session_.status().run != stopped_) return;
    endWaiting();
    Q_EMIT changed();
    return;
  }
  // Its folder exists: from here on it is a run that can be resumed.
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(*std::exchange(starting_, {})));
  store();
  Q_EMIT changed();
}

void TrainingQueue::noteRefused(const QString& reason) {
  if (session_.isBusy()) return;
  if (!starting_ || isMarking_) {
    // A start by hand: nothing begins the next run by itself.
    isWaiting_ = !runs_.empty();
    Q_EMIT changed();
    return;
  }
  QueuedRun& refused = runs_[*std::exchange(starting_, {})];
  refused.obstacle = reason.toStdString();
  refused.begun.clear();
  store();
  Q_EMIT changed();
  QMetaObject::invokeMethod(this, &TrainingQueue::beginNext, Qt::QueuedConnection);
}

void TrainingQueue::noteEnded(const RunResult& result) {
  if (runs_.empty()) return;
  // A training of another process that was only watched goes on.
  const bool isLeft = result.status == RunStatus::running || result.status == RunStatus::paused;
  if (isLeft || result.status == RunStatus::stopped) {
    isWaiting_ = true;
    stopped_ = result.run;
    Q_EMIT changed();
    return;
  }
  // The pages show the result first.
  QMetaObject::invokeMethod(this, &TrainingQueue::beginNext, Qt::QueuedConnection);
}

}  // namespace lambda
