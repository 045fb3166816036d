#include "app/inspect/feed/layer_pictures.h"

#include <chrono>
#include <utility>

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kPause{400};

}  // namespace

LayerPictures::LayerPictures(InspectionSession& inspection, QObject* parent)
    : QObject(parent), inspection_(inspection) {
  timer_.setSingleShot(true);
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &LayerPictures::askNext);
}

void LayerPictures::start(const InspectionSource& source,
                          const InspectionRequest& image,
                          std::vector<std::string> layers) {
  stop();
  if (source.kind != SourceKind::checkpoint) return;
  source_ = source;
  image_ = image;
  missing_ = std::move(layers);
  timer_.start();
}

void LayerPictures::stop() {
  missing_.clear();
  inspection_.cancel(std::exchange(request_, 0));
  timer_.stop();
}

void LayerPictures::hold() {
  if (!missing_.empty()) timer_.start();
}

void LayerPictures::forget(const std::string& layer) {
  std::erase(missing_, layer);
}

void LayerPictures::askNext() {
  if (missing_.empty() || request_ != 0) return;
  InspectionRequest request = image_;
  request.layer = missing_.front();
  request.queryRow = request.queryColumn = -1;
  request_ =
      inspection_.inspect(source_.checkpoint,
                          request,
                          *this,
                          {.answered =
                               [this](const SnapshotPointer& snapshot) {
                                 request_ = 0;
                                 Q_EMIT arrived(snapshot->layer.name, snapshot->lambdas.total);
                                 forget(snapshot->layer.name);
                                 if (!timer_.isActive()) askNext();
                               },
                           // A layer that can't be inspected reports this when it is chosen.
                           .failed = [this](const QString&) { stop(); }});
}

}  // namespace lambda
