#include "app/session/documents/document_recovery.h"

#include <algorithm>
#include <vector>

#include <QDir>
#include <QFileInfo>
#include <QUuid>

#include "app/session/documents/project_document.h"
#include "app/session/worker_thread.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"
#include "widgets/export/saved_file.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Changes in quick succession are written once.
constexpr std::chrono::seconds kDelay{2};
constexpr std::uint64_t kLargestRescue = 16 << 20;

const QString kLock = u"lock"_s;
const QString kDocument = u"document.json"_s;
const QString kOrigin = u"origin.txt"_s;

bool writeFile(const QString& path, const QByteArray& bytes) {
  return saveFile(path, bytes).isEmpty();
}

std::optional<RescuedDocument> readRescued(const QString& folder) {
  const QFileInfo document(QDir(folder).filePath(kDocument));
  if (!document.exists()) return std::nullopt;
  RescuedDocument rescued{folder, {}, document.lastModified(), {}};
  try {
    const std::string path = document.filePath().toStdString();
    std::vector<Problem> warnings;
    rescued.config = runConfigFromJson(readFile(path, kLargestRescue), path, warnings);
  } catch (const Error&) {
    return std::nullopt;
  }
  QFile origin(QDir(folder).filePath(kOrigin));
  if (origin.open(QIODevice::ReadOnly)) rescued.path = QString::fromUtf8(origin.readAll());
  return rescued;
}

}  // namespace

DocumentRecovery::DocumentRecovery(ProjectDocument& document,
                                   const QString& folder,
                                   QObject* parent)
    : QObject(parent),
      document_(document),
      root_(folder),
      own_(QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces))),
      thread_(std::make_unique<WorkerThread>(0)) {
  QDir().mkpath(own_);
  lock_ = std::make_unique<QLockFile>(QDir(own_).filePath(kLock));
  // The lock belongs to the process for its whole life, however long that is.
  lock_->setStaleLockTime(0);
  lock_->tryLock(0);
  delay_.setSingleShot(true);
  delay_.setInterval(kDelay);
  connect(&delay_, &QTimer::timeout, this, [this] {
    if (document_.isModified()) keep(Copy{document_.path(), document_.config()});
  });
  connect(&document_, &ProjectDocument::changed, this, &DocumentRecovery::schedule);
  connect(&document_, &ProjectDocument::titleChanged, this, &DocumentRecovery::schedule);
}

DocumentRecovery::~DocumentRecovery() {
  writeUnwritten();
  lock_.reset();
  // A folder that contains a rescued document stays for the next start.
  if (!QFileInfo::exists(QDir(own_).filePath(kDocument))) QDir(own_).removeRecursively();
}

std::optional<RescuedDocument> DocumentRecovery::rescued() const {
  std::vector<RescuedDocument> found;
  for (const QFileInfo& folder : QDir(root_).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    if (folder.filePath() == own_) continue;
    QLockFile lock(QDir(folder.filePath()).filePath(kLock));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;
    if (std::optional<RescuedDocument> rescued = readRescued(folder.filePath()))
      found.push_back(std::move(*rescued));
  }
  if (found.empty()) return std::nullopt;
  return *std::max_element(
      found.begin(), found.end(), [](const RescuedDocument& a, const RescuedDocument& b) {
        return a.when < b.when;
      });
}

void DocumentRecovery::discard(const RescuedDocument& rescued) {
  QDir(rescued.folder).removeRecursively();
}

void DocumentRecovery::schedule() {
  if (document_.isModified()) {
    // Not restarted by every change: continuous changes must be saved too.
    if (!delay_.isActive()) delay_.start();
  } else {
    forget();
  }
}

void DocumentRecovery::keep(std::optional<Copy> copy) {
  newest_ = std::move(copy);
  thread_->post([this, written = newest_, revision = ++revision_] {
    write(written);
    writtenRevision_ = revision;
  });
}

/// Ends the thread, which drops what it has not begun, and writes that.
void DocumentRecovery::writeUnwritten() {
  thread_.reset();
  if (revision_ == writtenRevision_) return;
  write(newest_);
  writtenRevision_ = revision_;
}

void DocumentRecovery::write(const std::optional<Copy>& copy) const {
  const QString origin = QDir(own_).filePath(kOrigin), document = QDir(own_).filePath(kDocument);
  if (copy) {
    writeFile(origin, copy->path.toUtf8());
    writeFile(document, QByteArray::fromStdString(toJson(copy->config)));
  } else {
    QFile::remove(document);
    QFile::remove(origin);
  }
}

void DocumentRecovery::saveNow() {
  delay_.stop();
  if (!document_.isModified()) return;
  keep(Copy{document_.path(), document_.config()});
  writeUnwritten();
  thread_ = std::make_unique<WorkerThread>(0);
}

void DocumentRecovery::forget() {
  delay_.stop();
  if (newest_) keep(std::nullopt);
}

}  // namespace lambda
