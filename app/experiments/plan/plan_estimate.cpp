#include "app/experiments/plan/plan_estimate.h"

#include <utility>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "engine/formats/json/experiment_json.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kKillMs = 2000;

std::optional<PlanTime> timeFrom(const QByteArray& json) {
  const QJsonObject document = QJsonDocument::fromJson(json).object();
  const QJsonArray variants = document.value(u"variants"_s).toArray();
  if (variants.isEmpty()) return std::nullopt;
  PlanTime time;
  for (const QJsonValue& variant : variants) {
    time.secondsPerRun.push_back(variant.toObject().value(u"secondsPerRun"_s).toDouble());
  }
  time.seconds = document.value(u"seconds"_s).toDouble();
  return time;
}

}  // namespace

PlanEstimate::PlanEstimate(std::filesystem::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

PlanEstimate::~PlanEstimate() {
  cancel();
}

void PlanEstimate::measure(const Experiment& experiment) {
  cancel();
  folder_ = std::make_unique<QTemporaryDir>();
  QFile file(folder_->filePath(u"experiment.json"_s));
  const std::string json = toJson(experiment);
  const bool isWritten = file.open(QIODevice::WriteOnly) &&
                         file.write(json.data(), std::ssize(json)) == std::ssize(json) &&
                         file.flush();
  if (!isWritten) {
    Q_EMIT failed(
        u"The plan can't be written to %1: %2."_s.arg(file.fileName(), file.errorString()));
    return;
  }
  process_ = new QProcess(this);
  connect(process_, &QProcess::finished, this, &PlanEstimate::onFinished);
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) onFinished(-1, QProcess::CrashExit);
  });
  process_->start(toText(program_),
                  {u"experiment"_s,
                   u"run"_s,
                   file.fileName(),
                   u"--dry-run"_s,
                   u"--json"_s,
                   u"--quiet"_s,
                   u"--out"_s,
                   folder_->path()});
}

void PlanEstimate::cancel() {
  QProcess* process = std::exchange(process_, nullptr);
  if (!process) return;
  process->disconnect(this);
  process->kill();
  process->waitForFinished(kKillMs);
  process->deleteLater();
}

void PlanEstimate::onFinished(int status, QProcess::ExitStatus how) {
  QProcess* process = std::exchange(process_, nullptr);
  process->deleteLater();
  const auto time = timeFrom(process->readAllStandardOutput());
  if (how == QProcess::NormalExit && status == 0 && time) {
    Q_EMIT measured(*time);
    return;
  }
  const QString words = QString::fromLocal8Bit(process->readAllStandardError()).trimmed();
  Q_EMIT failed(words.isEmpty()
                    ? u"The time can't be measured: %1 did not answer."_s.arg(toText(program_))
                    : words);
}

}  // namespace lambda
