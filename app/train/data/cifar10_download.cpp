#include "app/train/data/cifar10_download.h"

#include <chrono>
#include <variant>

#include "widgets/text/path_text.h"

namespace lambda {

namespace {

constexpr int kNiceness = 5;
constexpr std::chrono::milliseconds kBetweenReports{100};

}  // namespace

Cifar10Download::Cifar10Download(QObject* parent) : QObject(parent), lane_(kNiceness) {}

Cifar10Download::~Cifar10Download() {
  cancel();
}

void Cifar10Download::start(const DownloadRequest& request) {
  if (isRunning()) return;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  using News = std::variant<DownloadProgress, DownloadOutcome>;
  const auto run = [request, cancelled = cancelled_](QPromise<News>& promise) {
    auto reported = std::chrono::steady_clock::time_point();
    promise.addResult(download(request, [&](const DownloadProgress& progress) {
      const auto now = std::chrono::steady_clock::now();
      if (now - reported >= kBetweenReports) {
        reported = now;
        promise.addResult(progress);
      }
      return !cancelled->load();
    }));
  };
  const auto take = [this, file = toText(request.destination)](const News& news) {
    if (const auto* progress = std::get_if<DownloadProgress>(&news)) {
      Q_EMIT progressed(progress->phase,
                        static_cast<qint64>(progress->receivedBytes),
                        static_cast<qint64>(progress->totalBytes));
      return;
    }
    cancelled_.reset();
    if (std::get<DownloadOutcome>(news) == DownloadOutcome::cancelled) {
      Q_EMIT cancelled();
    } else {
      Q_EMIT finished(file);
    }
  };
  download_.follow(lane_.run<News>(run), take, [this](const QString& reason) {
    cancelled_.reset();
    Q_EMIT failed(reason);
  });
}

void Cifar10Download::cancel() {
  if (cancelled_) *cancelled_ = true;
}

}  // namespace lambda
