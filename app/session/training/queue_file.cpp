#include "app/session/training/queue_file.h"

#include <algorithm>
#include <utility>

#include <QSysInfo>

#include "app/session/set_aside.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/queue_json.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kRetry{1000};

/// Takes out the runs whose training a studio that was killed had begun: they can be resumed.
void removeBegun(std::vector<QueuedRun>& queue) {
  std::erase_if(queue, [](const QueuedRun& run) {
    std::error_code error;
    return !run.begun.empty() && fs::exists(fs::path(run.begun) / "run.json", error);
  });
  for (QueuedRun& run : queue) run.begun.clear();
}

/// Reads the queue, and sets a damaged file aside. Returns what the person must know of it.
QString readQueue(const fs::path& file, std::vector<QueuedRun>& queue) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  try {
    queue = queueFromJson(readFile(file, kLargestQueueBytes), file.string());
    removeBegun(queue);
    return {};
  } catch (const Error& failure) {
    const fs::path aside = setAside(file);
    const QString reason = QString::fromStdString(failure.what());
    if (aside.empty()) return u"Could not read the queue of runs. %1"_s.arg(reason);
    return u"Could not read the queue of runs. %1\nThe file is kept as %2."_s.arg(reason,
                                                                                  toText(aside));
  }
}

QString writeQueue(const fs::path& file, const std::vector<QueuedRun>& queue) {
  try {
    fs::create_directories(file.parent_path());
    writeFileDurably(file, toJson(queue));
    return {};
  } catch (const std::exception& failure) {
    return u"Could not store the queue of runs. %1"_s.arg(QString::fromStdString(failure.what()));
  }
}

}  // namespace

QueueFile::QueueFile(fs::path file, QObject* parent)
    : QObject(parent), file_(std::move(file)), lock_(toText(file_) + QStringLiteral(".lock")) {
  // A lock is stale when its program has ended, and not because it is old.
  lock_.setStaleLockTime(std::chrono::milliseconds(0));
  retry_.setSingleShot(true);
  connect(&retry_, &QTimer::timeout, this, &QueueFile::tryToOpen);
  tryToOpen();
}

QueueFile::~QueueFile() {
  lane_.drain();
  if (revision_ == writtenRevision_) return;
  if (const QString problem = writeQueue(file_, newest_); !problem.isEmpty()) {
    qWarning("%s", qPrintable(problem));
  }
}

QueueFile::Lock QueueFile::lock() {
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  if (lock_.tryLock()) return Lock::ours;
  // Where no lock can be made, no other studio can have one, and a write reports what is wrong.
  return lock_.error() == QLockFile::LockFailedError ? Lock::elsewhere : Lock::ours;
}

QString QueueFile::ownerText() const {
  qint64 process = 0;
  QString host, program;
  lock_.getLockInfo(&process, &host, &program);
  const bool isHere = host.isEmpty() || host == QSysInfo::machineHostName();
  if (isHere) {
    return u"The queue belongs to another window of Lambda Studio (process %1), and is shown "
           "here when that one is closed."_s.arg(process);
  }
  return u"The queue belongs to a Lambda Studio on %1 (process %2), and is shown here when that "
         "one is closed. If it has crashed, remove %3."_s.arg(
             host, QString::number(process), lock_.fileName());
}

void QueueFile::tryToOpen() {
  struct Attempt {
    QString owner;  ///< Empty where the file belongs to this studio.
    std::vector<QueuedRun> runs;
    QString problem;
  };

  const auto attempt = [this] {
    Attempt result;
    if (lock() == Lock::elsewhere) {
      result.owner = ownerText();
    } else {
      result.problem = readQueue(file_, result.runs);
    }
    return result;
  };
  opening_.followNewest(lane_.run(attempt), [this](const Attempt& result) {
    if (!result.owner.isEmpty()) {
      retry_.start(kRetry);
      Q_EMIT ownedElsewhere(result.owner);
      return;
    }
    isOpen_ = true;
    Q_EMIT opened(result.runs, result.problem);
  });
}

void QueueFile::write(std::vector<QueuedRun> runs) {
  newest_ = std::move(runs);
  const auto write = [this, runs = newest_, revision = ++revision_] {
    const QString problem = writeQueue(file_, runs);
    if (problem.isEmpty()) writtenRevision_ = revision;
    return problem;
  };
  writing_.followNewest(lane_.run(write),
                        [this](const QString& problem) { Q_EMIT written(problem); });
}

void QueueFile::appendAtLast(const std::vector<QueuedRun>& runs) {
  lane_.drain();
  if (!lock_.isLocked() && lock() == Lock::elsewhere) return;
  if (const QString problem = readQueue(file_, newest_); !problem.isEmpty()) {
    qWarning("%s", qPrintable(problem));
  }
  const std::size_t space =
      kMostQueuedRuns - std::min<std::size_t>(newest_.size(), kMostQueuedRuns);
  if (runs.size() > space) {
    qWarning("The queue of runs is full: the last %zu are not stored.", runs.size() - space);
  }
  newest_.insert(newest_.end(),
                 runs.begin(),
                 runs.begin() + static_cast<std::ptrdiff_t>(std::min(space, runs.size())));
  ++revision_;
}

}  // namespace lambda
