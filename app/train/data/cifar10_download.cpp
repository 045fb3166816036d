#include "app/train/data/cifar10_download.h"

#include <chrono>

#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

namespace lambda {

namespace {

constexpr int kNiceness = 5;
constexpr std::chrono::milliseconds kBetweenReports{100};

}  // namespace

Cifar10Download::Cifar10Download(QObject* parent) : QObject(parent) {}

Cifar10Download::~Cifar10Download() {
  cancel();
}

void Cifar10Download::start(const DownloadRequest& request) {
  if (isRunning()) return;
  if (!thread_) thread_ = std::make_unique<WorkerThread>(kNiceness);
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  thread_->post([this, request, cancelled = cancelled_] {
    const End ended = run(request, *cancelled);
    const QString file = toText(request.destination);
    QMetaObject::invokeMethod(
        this, [this, ended, file] { end(ended, file); }, Qt::QueuedConnection);
  });
}

void Cifar10Download::cancel() {
  if (cancelled_) *cancelled_ = true;
}

Cifar10Download::End Cifar10Download::run(const DownloadRequest& request,
                                          const std::atomic<bool>& cancelled) {
  auto reported = std::chrono::steady_clock::time_point();
  const auto observer = [&](const DownloadProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - reported >= kBetweenReports) {
      reported = now;
      QMetaObject::invokeMethod(
          this,
          [this, progress] {
            Q_EMIT progressed(progress.phase,
                              static_cast<qint64>(progress.receivedBytes),
                              static_cast<qint64>(progress.totalBytes));
          },
          Qt::QueuedConnection);
    }
    return !cancelled.load();
  };
  try {
    return {download(request, observer), {}};
  } catch (const std::exception& error) {
    return {DownloadOutcome::cancelled, QString::fromStdString(error.what())};
  }
}

void Cifar10Download::end(const End& ended, const QString& file) {
  cancelled_.reset();
  if (!ended.failure.isEmpty()) {
    Q_EMIT failed(ended.failure);
  } else if (ended.outcome == DownloadOutcome::cancelled) {
    Q_EMIT cancelled();
  } else {
    Q_EMIT finished(file);
  }
}

}  // namespace lambda
