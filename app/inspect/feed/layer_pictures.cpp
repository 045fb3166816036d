#include "app/inspect/feed/layer_pictures.h"

#include <chrono>
#include <utility>

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kPause{400};

}  // namespace

LayerPictures::LayerPictures(TrainingSession& training,
                             CheckpointService& checkpoints,
                             QObject* parent)
    : QObject(parent), training_(training), checkpoints_(checkpoints) {
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
  inspection_.cancel();
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
  const auto next = [this](const std::string& layer) {
    isWaiting_ = false;
    forget(layer);
    if (!timer_.isActive()) askNext();
  };
  isWaiting_ = true;
  inspection_.followNewest(
      source_.kind == SourceKind::live ? training_.inspect(request, *this)
                                       : checkpoints_.inspect(source_.checkpoint, request),
      [this, next](const SnapshotPointer& snapshot) {
        Q_EMIT arrived(snapshot->layer.name, snapshot->lambdas.total);
        next(snapshot->layer.name);
      },
      // A layer that can't be inspected reports this when it is chosen.
      [next, layer = request.layer](const QString&) { next(layer); });
}

}  // namespace lambda
