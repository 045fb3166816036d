#include "app/inspect/feed/image_predictions.h"

namespace lambda {

ImagePredictions::ImagePredictions(InspectionSession& session, QObject* parent)
    : QObject(parent), session_(session) {}

PredictionsPointer ImagePredictions::knownOf(Split split) const {
  return known_ && known_->split == split ? known_ : nullptr;
}

void ImagePredictions::request(const std::filesystem::path& checkpoint, Split split) {
  if (request_ != 0) return;
  request_ = session_.predict(
      checkpoint,
      split,
      *this,
      {.answered =
           [this](const PredictionsPointer& predictions) {
             known_ = predictions;
             end();
             Q_EMIT changed();
           },
       .failed =
           [this](const QString& reason) {
             end();
             Q_EMIT failed(reason);
           },
       .progressed = [this](qint64 done,
                            qint64 total) { Q_EMIT progressed(std::pair(done, total)); }});
  Q_EMIT progressed(std::pair<qint64, qint64>(0, 0));
}

void ImagePredictions::forget() {
  session_.cancel(request_);
  known_.reset();
  end();
  Q_EMIT changed();
}

void ImagePredictions::end() {
  request_ = 0;
  Q_EMIT progressed(std::nullopt);
}

}  // namespace lambda
