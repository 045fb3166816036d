#include "app/session/documents/document_recovery.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QUuid>

#include "app/session/documents/project_document.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"
#include "widgets/export/saved_file.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Changes in quick succession are written once.
constexpr std::chrono::seconds kDelay{2};
constexpr std::uint64_t kLargestRescue = 16 << 20;
constexpr std::uint64_t kLargestOrigin = 64 << 10;
/// Documents that are tried at a start, the newest first, until one can be read.
constexpr std::size_t kMostTried = 20;
/// A program that starts makes its folder a moment before its lock.
constexpr std::chrono::minutes kStarting{1};

const QString kLock = u"lock"_s;
const QString kDocument = u"document.json"_s;
const QString kSaved = u"saved.json"_s;
const QString kOrigin = u"origin.txt"_s;

bool writeFile(const QString& path, const QByteArray& bytes) {
  return saveFile(path, bytes).isEmpty();
}

QStringList otherFolders(const QString& root, const QString& own) {
  QStringList folders;
  QDirIterator entry(root, QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
  while (entry.hasNext()) {
    if (const QString folder = entry.next(); folder != own) folders << folder;
  }
  return folders;
}

/// Takes the lock of a folder whose program has ended; null where it runs.
std::unique_ptr<QLockFile> lockOfEnded(const QString& folder) {
  auto lock = std::make_unique<QLockFile>(QDir(folder).filePath(kLock));
  lock->setStaleLockTime(0);
  return lock->tryLock(0) ? std::move(lock) : nullptr;
}

std::optional<RunConfig> readConfig(const QString& file) {
  try {
    const std::string path = file.toStdString();
    std::vector<Problem> warnings;
    return runConfigFromJson(readFile(path, kLargestRescue), path, warnings);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<RescuedDocument> readRescued(const QString& folder) {
  const QFileInfo document(QDir(folder).filePath(kDocument));
  if (!document.exists()) return std::nullopt;
  const std::optional<RunConfig> config = readConfig(document.filePath());
  if (!config) return std::nullopt;
  RescuedDocument rescued{folder,
                          {},
                          document.lastModified(),
                          *config,
                          readConfig(QDir(folder).filePath(kSaved)).value_or(*config)};
  try {
    rescued.path =
        QString::fromStdString(readFile(toPath(QDir(folder).filePath(kOrigin)), kLargestOrigin));
  } catch (const Error&) {
    // The changes are rescued as a document without a file.
  }
  return rescued;
}

}  // namespace

DocumentRecovery::DocumentRecovery(ProjectDocument& document,
                                   const QString& folder,
                                   QObject* parent)
    : QObject(parent),
      document_(document),
      root_(folder),
      own_(QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces))) {
  QDir().mkpath(own_);
  lock_ = std::make_unique<QLockFile>(QDir(own_).filePath(kLock));
  // The lock belongs to the process for its whole life, however long that is.
  lock_->setStaleLockTime(0);
  lock_->tryLock(0);
  delay_.setSingleShot(true);
  delay_.setInterval(kDelay);
  connect(&delay_, &QTimer::timeout, this, [this] {
    if (document_.isModified()) keep(copy());
  });
  lane_.run([this] { removeEmpty(); });
  connect(&document_, &ProjectDocument::changed, this, &DocumentRecovery::schedule);
  connect(&document_, &ProjectDocument::titleChanged, this, &DocumentRecovery::schedule);
}

DocumentRecovery::~DocumentRecovery() {
  isCleaning_ = false;
  lane_.drain();
  lock_.reset();
  // A folder that contains a rescued document stays for the next start.
  if (!QFileInfo::exists(QDir(own_).filePath(kDocument))) QDir(own_).removeRecursively();
}

std::optional<RescuedDocument> DocumentRecovery::rescued() const {
  std::vector<std::pair<QDateTime, QString>> documents;
  for (const QString& folder : otherFolders(root_, own_)) {
    const QFileInfo document(QDir(folder).filePath(kDocument));
    if (document.isFile()) documents.emplace_back(document.lastModified(), folder);
  }
  std::ranges::sort(documents, std::greater());
  if (documents.size() > kMostTried) documents.resize(kMostTried);
  for (const auto& [when, folder] : documents) {
    const auto lock = lockOfEnded(folder);
    if (!lock) continue;
    if (std::optional<RescuedDocument> rescued = readRescued(folder)) return rescued;
  }
  return std::nullopt;
}

void DocumentRecovery::removeEmpty() const {
  for (const QString& folder : otherFolders(root_, own_)) {
    if (!isCleaning_) return;
    if (QFileInfo::exists(QDir(folder).filePath(kDocument))) continue;
    const QDateTime made = QFileInfo(folder).lastModified();
    if (made.addDuration(kStarting) > QDateTime::currentDateTime()) continue;
    if (lockOfEnded(folder)) QDir(folder).removeRecursively();
  }
}

void DocumentRecovery::discard(const RescuedDocument& rescued) {
  QDir(rescued.folder).removeRecursively();
}

DocumentRecovery::Copy DocumentRecovery::copy() const {
  return {document_.path(), document_.config(), document_.savedConfig()};
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
  isCleaning_ = false;
  newest_ = std::move(copy);
  // An older copy that has not been written is not needed any more.
  writing_.cancel();
  writing_ = lane_.run([this, written = newest_] { write(written); });
}

void DocumentRecovery::write(const std::optional<Copy>& copy) const {
  const QString origin = QDir(own_).filePath(kOrigin), document = QDir(own_).filePath(kDocument),
                saved = QDir(own_).filePath(kSaved);
  if (copy) {
    writeFile(origin, copy->path.toUtf8());
    writeFile(saved, QByteArray::fromStdString(toJson(copy->saved)));
    writeFile(document, QByteArray::fromStdString(toJson(copy->config)));
  } else {
    for (const QString& file : {document, saved, origin}) QFile::remove(file);
  }
}

void DocumentRecovery::saveNow() {
  delay_.stop();
  if (!document_.isModified()) return;
  keep(copy());
  lane_.drain();
}

void DocumentRecovery::forget() {
  delay_.stop();
  if (newest_) keep(std::nullopt);
}

}  // namespace lambda
