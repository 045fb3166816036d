#include "app/runs/run_library.h"

#include <algorithm>
#include <utility>

#include <QSettings>
#include <QStandardPaths>
#include <QStringList>

#include "app/runs/library/library_worker.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Number of runs whose metrics stay in memory: more than anybody compares.
constexpr std::size_t kKeptMetrics = 48;

const QString kFolderKey = u"folder"_s;
const QString kAddedKey = u"addedRuns"_s;
const QString kLogsKey = u"importedLogs"_s;

/// Adds what is missing; whether it was.
bool addOnce(std::vector<fs::path>& paths, const fs::path& path) {
  if (std::find(paths.begin(), paths.end(), path) != paths.end()) return false;
  paths.push_back(path);
  return true;
}

QStringList textsOf(const std::vector<fs::path>& paths) {
  QStringList texts;
  for (const fs::path& path : paths) texts << toText(path);
  return texts;
}

/// Absolute, without a separator at the end.
fs::path normal(const fs::path& path) {
  const fs::path result = fs::absolute(path).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

bool isBefore(const RunSummary& run, const fs::path& path) {
  return run.path < path;
}

}  // namespace

fs::path RunLibrary::standardFolder() {
  return toPath(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)) / "runs";
}

RunLibrary::RunLibrary(QObject* parent) : QObject(parent) {
  lane_.run([this] {
    worker_ = std::make_unique<LibraryWorker>([this] { return isEnding_.load(); });
    connectWorker();
  });
}

RunLibrary::~RunLibrary() {
  isEnding_ = true;
  // The worker's timers belong to its thread and end there.
  lane_.run([this] { worker_.reset(); });
}

void RunLibrary::connectWorker() {
  const LibraryWorker* worker = worker_.get();
  connect(worker, &LibraryWorker::scanned, this, &RunLibrary::take);
  connect(worker,
          &LibraryWorker::found,
          this,
          [this](const fs::path& folder, bool isRun, bool isListed) {
            Q_EMIT opened(folder);
            if (isRun && !isListed) addRun(folder);
            if (!isRun) importLog(folder);
          });
  connect(worker, &LibraryWorker::noRun, this, &RunLibrary::removeRun);
  connect(worker, &LibraryWorker::metricsRead, this, [this](const MetricsFollower::News& news) {
    takeMetrics(news.run, news.metrics, QString::fromStdString(news.problem));
  });
  connect(worker, &LibraryWorker::logsImported, this, &RunLibrary::takeLogs);
  connect(worker, &LibraryWorker::logRead, this, &RunLibrary::takeLogAgain);
  connect(worker, &LibraryWorker::runsMet, this, &RunLibrary::takeFoundRuns);
  connect(worker, &LibraryWorker::renamed, this, &RunLibrary::takeRenaming);
  connect(worker, &LibraryWorker::filesListed, this, &RunLibrary::filesListed);
  connect(worker, &LibraryWorker::commandFound, this, &RunLibrary::commandFound);
  connect(worker, &LibraryWorker::written, this, &RunLibrary::written);
  connect(worker, &LibraryWorker::trashed, this, &RunLibrary::trashed);
  connect(worker, &LibraryWorker::refused, this, &RunLibrary::refused);
}

template <class Task>
void RunLibrary::post(Task task) {
  lane_.run([this, task = std::move(task)]() mutable {
    if (!isEnding_) task(*worker_);
  });
}

void RunLibrary::setFolder(const fs::path& folder) {
  folder_ = fs::absolute(folder).lexically_normal();
  state_ = LibraryState::reading;
  stateText_.clear();
  post([folder = folder_, isStandard = folder_ == standardFolder()](LibraryWorker& worker) {
    worker.watch(folder, isStandard);
  });
  store();
}

const RunSummary* RunLibrary::find(const fs::path& path) const {
  const auto found = std::lower_bound(runs_.begin(), runs_.end(), path, isBefore);
  return found != runs_.end() && found->path == path ? &*found : nullptr;
}

void RunLibrary::open(std::vector<fs::path> paths) {
  for (fs::path& path : paths) path = normal(path);
  post([paths = std::move(paths)](LibraryWorker& worker) { worker.open(paths); });
}

void RunLibrary::findCommand(const fs::path& path) {
  if (const RunSummary* run = find(path)) {
    post([run = *run](LibraryWorker& worker) { worker.findCommand(run); });
  }
}

void RunLibrary::write(const fs::path& file, const QByteArray& content) {
  post([file, content](LibraryWorker& worker) { worker.write(file, content); });
}

void RunLibrary::addRun(const fs::path& path) {
  const fs::path run = normal(path);
  const bool isNew = addOnce(added_, run);
  if (isNew) shareAdded();
  post([run, isNew](LibraryWorker& worker) { worker.check(run, isNew); });
}

void RunLibrary::removeRun(const fs::path& path) {
  if (std::erase(added_, path) > 0) shareAdded();
}

void RunLibrary::shareAdded() {
  post([added = added_](LibraryWorker& worker) { worker.setAdded(added); });
  store();
}

void RunLibrary::importLog(const fs::path& folder) {
  post([folder](LibraryWorker& worker) { worker.importLog(folder); });
}

void RunLibrary::removeLog(const fs::path& path) {
  std::erase(logPaths_, path);
  std::erase_if(logs_, [&](const ImportedLog& log) { return log.path == path; });
  post([path](LibraryWorker& worker) { worker.forgetLog(path); });
  store();
  Q_EMIT changed();
}

void RunLibrary::relistLog(const fs::path& path) {
  if (addOnce(logPaths_, path)) store();
  post([path](LibraryWorker& worker) { worker.readLog(path); });
}

std::shared_ptr<const Metrics> RunLibrary::metrics(const fs::path& path) {
  const auto [entry, isNew] = metrics_.try_emplace(path);
  entry->second.asked = ++asked_;
  auto known = entry->second.metrics;
  if (isNew) {
    post([path](LibraryWorker& worker) { worker.follow(path); });
    forgetOldMetrics();
  }
  return known;
}

QString RunLibrary::metricsProblem(const fs::path& path) const {
  const auto found = metrics_.find(path);
  return found == metrics_.end() ? QString() : found->second.problem;
}

void RunLibrary::forgetOldMetrics() {
  if (metrics_.size() <= kKeptMetrics) return;
  const auto oldest =
      std::min_element(metrics_.begin(), metrics_.end(), [](const auto& a, const auto& b) {
        return a.second.asked < b.second.asked;
      });
  post([path = oldest->first](LibraryWorker& worker) { worker.forgetMetrics(path); });
  metrics_.erase(oldest);
}

void RunLibrary::listFiles(const fs::path& path) {
  post([path](LibraryWorker& worker) { worker.listFiles(path); });
}

void RunLibrary::refresh() {
  post([](LibraryWorker& worker) { worker.refresh(); });
  for (const ImportedLog& log : logs_) {
    if (!log.curves.empty()) continue;
    post([path = log.path](LibraryWorker& worker) { worker.readLog(path); });
  }
}

void RunLibrary::setTags(const fs::path& path, std::vector<std::string> tags) {
  post([path, tags = std::move(tags)](LibraryWorker& worker) {
    worker.edit(path, [&](RunRecord& record) { record.tags = tags; });
  });
}

void RunLibrary::setNotes(const fs::path& path, std::string notes) {
  post([path, notes = std::move(notes)](LibraryWorker& worker) {
    worker.edit(path, [&](RunRecord& record) { record.notes = notes; });
  });
}

void RunLibrary::rename(const fs::path& path, const QString& name) {
  post([path, name = name.toStdString()](LibraryWorker& worker) { worker.rename(path, name); });
}

void RunLibrary::moveToTrash(const fs::path& path) {
  post([path](LibraryWorker& worker) { worker.trash(path); });
}

void RunLibrary::restore(const fs::path& trashed, const fs::path& path) {
  post([trashed, path](LibraryWorker& worker) { worker.restore(trashed, path); });
}

void RunLibrary::take(const std::vector<fs::path>& paths,
                      const std::vector<RunSummary>& news,
                      LibraryState state,
                      const QString& stateText) {
  // Walks three ascending lists side by side.
  std::vector<RunSummary> runs;
  std::vector<fs::path> updated;
  std::size_t kept = 0;
  auto known = runs_.begin();
  auto fresh = news.begin();
  for (const fs::path& path : paths) {
    while (known != runs_.end() && known->path < path) ++known;
    const bool isKnown = known != runs_.end() && known->path == path;
    const bool isFresh = fresh != news.end() && fresh->path == path;
    if (isKnown) ++kept;
    if (isFresh && isKnown && *fresh != *known) updated.push_back(path);
    if (isFresh || isKnown) runs.push_back(isFresh ? *fresh : std::move(*known));
    if (isFresh) ++fresh;
  }
  const bool isSameSet = kept == runs_.size() && kept == runs.size();
  const bool isSameState = state_ == state && stateText_ == stateText;
  runs_ = std::move(runs);
  state_ = state;
  stateText_ = stateText;
  if (!isSameSet || !isSameState) {
    Q_EMIT changed();
  } else {
    for (const fs::path& path : updated) Q_EMIT runChanged(path);
  }
}

void RunLibrary::takeMetrics(const fs::path& path,
                             const std::shared_ptr<const Metrics>& metrics,
                             const QString& problem) {
  const auto found = metrics_.find(path);
  if (found == metrics_.end()) return;
  found->second.metrics = metrics;
  found->second.problem = problem;
  Q_EMIT metricsChanged(path);
}

void RunLibrary::takeLogs(const std::vector<ImportedLog>& logs) {
  for (const ImportedLog& log : logs) {
    addOnce(logPaths_, log.path);
    update(log);
  }
  store();
  Q_EMIT changed();
}

void RunLibrary::takeLogAgain(const ImportedLog& log) {
  // It may have been removed in the meantime.
  if (std::find(logPaths_.begin(), logPaths_.end(), log.path) == logPaths_.end()) return;
  update(log);
  Q_EMIT changed();
}

void RunLibrary::update(const ImportedLog& log) {
  const auto known = std::find_if(
      logs_.begin(), logs_.end(), [&](const ImportedLog& other) { return other.path == log.path; });
  if (known == logs_.end()) {
    logs_.push_back(log);
  } else {
    *known = log;
  }
}

void RunLibrary::takeFoundRuns(const std::vector<fs::path>& runs) {
  bool areNew = false;
  for (const fs::path& run : runs) areNew = addOnce(added_, run) || areNew;
  if (areNew) shareAdded();
}

void RunLibrary::takeRenaming(const fs::path& from, const fs::path& to) {
  metrics_.erase(from);
  const auto added = std::find(added_.begin(), added_.end(), from);
  if (added != added_.end()) {
    *added = to;
    shareAdded();
  }
  Q_EMIT renamed(from, to);
}

void RunLibrary::saveTo(QSettings& settings) const {
  settings.setValue(kFolderKey, folder_ == standardFolder() ? QString() : toText(folder_));
  settings.setValue(kAddedKey, textsOf(added_));
  settings.setValue(kLogsKey, textsOf(logPaths_));
}

void RunLibrary::restoreFrom(QSettings& settings) {
  for (const QString& path : settings.value(kAddedKey).toStringList()) {
    addOnce(added_, toPath(path));
  }
  post([added = added_](LibraryWorker& worker) { worker.setAdded(added); });
  for (const QString& path : settings.value(kLogsKey).toStringList()) {
    relistLog(toPath(path));
  }
  const QString folder = settings.value(kFolderKey).toString();
  setFolder(folder.isEmpty() ? standardFolder() : toPath(folder));
  store_ = std::make_unique<QSettings>(settings.fileName(), settings.format());
  store_->beginGroup(settings.group());
}

void RunLibrary::store() {
  if (store_) saveTo(*store_);
}

}  // namespace lambda
