#include "app/inspect/feed/layer_pictures.h"

#include <chrono>
#include <utility>

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kPause{400};

}  // namespace

LayerPictures::LayerPictures(TrainingSession& training,
                             InspectionSession& inspection,
                             QObject* parent)
    : QObject(parent), training_(training), inspection_(inspection) {
  timer_.setSingleShot(true);
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &LayerPictures::askNext);
}

void LayerPictures::start(const InspectionSource& source,
                          const InspectionRequest& image,
                          std::vector<std::string> layers) {
  stop();
  source_ = source;
  image_ = image;
  missing_ = std::move(layers);
  timer_.start();
}

void LayerPictures::stop() {
  missing_.clear();
  isWaiting_ = false;
  inspection_.cancel(request_);
  training_.cancelInspection(*this);
  timer_.stop();
}

void LayerPictures::hold() {
  if (!missing_.empty()) timer_.start();
}

void LayerPictures::forget(const std::string& layer) {
  std::erase(missing_, layer);
}

void LayerPictures::askNext() {
  if (missing_.empty() || isWaiting_) return;
  InspectionRequest request = image_;
  request.layer = missing_.front();
  request.queryRow = request.queryColumn = -1;
  request.withPatterns = false;
  const Replies<SnapshotPointer> replies{
      .answered =
          [this](const SnapshotPointer& snapshot) {
            isWaiting_ = false;
            Q_EMIT arrived(snapshot->layer.name, snapshot->lambdas.total);
            forget(snapshot->layer.name);
            if (!timer_.isActive()) askNext();
          },
      // A layer that can't be inspected reports this when it is chosen.
      .failed =
          [this, layer = request.layer](const QString&) {
            isWaiting_ = false;
            forget(layer);
            if (!timer_.isActive()) askNext();
          }};
  isWaiting_ = true;
  if (source_.kind == SourceKind::live) {
    training_.inspect(request, *this, replies);
  } else {
    request_ = inspection_.inspect(source_.checkpoint, request, *this, replies);
  }
}

}  // namespace lambda
