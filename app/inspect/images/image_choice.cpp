#include "app/inspect/images/image_choice.h"

#include <utility>

#include "app/inspect/images/image_picker.h"
#include "app/inspect/images/own_picture.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/runs/lacking_images.h"

using namespace Qt::StringLiterals;

namespace lambda {

ImageChoice::ImageChoice(CheckpointService& checkpoints,
                         InspectSelection& selection,
                         QObject* parent)
    : QObject(parent),
      selection_(selection),
      images_(new RunImages(checkpoints.images(), this)),
      predictions_(new ImagePredictions(checkpoints.predictions(), this)),
      picker_(new ImagePicker) {
  connect(picker_, &ImagePicker::imageChosen, this, &ImageChoice::chooseImage);
  connect(picker_, &ImagePicker::splitChosen, this, &ImageChoice::chooseSplit);
  connect(picker_, &ImagePicker::predictionsRequested, this, &ImageChoice::predict);
  connect(picker_, &ImagePicker::cancelRequested, this, [this] {
    predictions_->cancel();
    picker_->setFilter(PredictionFilter::all);
  });
  connect(images_, &RunImages::arrived, this, [this](Split split) {
    const ImagesPointer images = images_->of(split);
    if (!images) return;
    const Split before = selection_.split();
    const bool wasAwaited = std::exchange(isAwaited_, isAwaited_ && split != before);
    takeImages(split, images->count());
    const bool isOther = selection_.split() != before;
    if (!isAwaited_ && (wasAwaited || isOther)) Q_EMIT chosen();
  });
  connect(images_, &RunImages::failed, this, [this](Split split, const QString& reason) {
    if (split != selection_.split()) return;
    picker_->setImages(split, nullptr, reason);
    if (std::exchange(isAwaited_, false)) Q_EMIT chosen();
  });
  connect(predictions_, &ImagePredictions::progressed, picker_, &ImagePicker::setProgress);
  connect(predictions_, &ImagePredictions::changed, this, [this] {
    picker_->setPredictions(predictions_->known());
  });
  connect(predictions_, &ImagePredictions::scored, this, [this] {
    if (selection_.split() != Split::test) return;
    picker_->setTestEvaluations(source_.record.testEvaluations + 1);
  });
  connect(predictions_, &ImagePredictions::failed, this, [this](const QString& reason) {
    picker_->setFilter(PredictionFilter::all);
    Q_EMIT told(reason, true);
  });
}

void ImageChoice::setSource(const InspectionSource& source) {
  source_ = source;
  picker_->setFilter(PredictionFilter::all);
  if (!images_->isOf(source.record.config.data)) {
    selection_.chooseSplit(wanted_);
    selection_.chooseImage(0);
    picker_->forgetLacking();
    if (!note_.isEmpty()) Q_EMIT withdrawn(std::exchange(note_, {}));
  }
  images_->setData(source.record.config.data);
  const MapShape& input = inputShape();
  const std::optional<Image>& picture = selection_.picture();
  if (picture && (picture->width != input.width || picture->height != input.height)) {
    selection_.forgetPicture();
  }
  picker_->setTestEvaluations(source.record.testEvaluations);
  picker_->setPredictable(source.kind == SourceKind::checkpoint,
                          u"Predictions need a checkpoint: choose one of the run's, at the top"_s);
  awaitSplit();
  showImages();
  setSubject();
}

/// A run may lack the split that was chosen for another one, and inspecting it would fail.
void ImageChoice::awaitSplit() {
  isAwaited_ = false;
  if (source_.kind == SourceKind::none) return;
  for (const Split split : {Split::validation, Split::test}) {
    if (isKnownToLack(source_.record, split)) picker_->setLacking(split);
  }
  const Split split = selection_.split();
  const bool isCertain = split == Split::validation && !picker_->lacks(split);
  if (picker_->lacks(split)) {
    takeImages(split, 0);
  } else if (const ImagesPointer images = images_->of(split)) {
    takeImages(split, images->count());
  } else {
    isAwaited_ = !isCertain && !selection_.picture();
  }
}

/// The images of a split have been counted.
void ImageChoice::takeImages(Split split, std::size_t count) {
  if (count == 0) picker_->setLacking(split);
  const Split other = split == Split::test ? Split::validation : Split::test;
  if (count == 0 && split == selection_.split() && !picker_->lacks(other)) {
    selection_.chooseSplit(other);
    awaitSplit();
    setSubject();
    note_ = lackingText(split) + (split == Split::test ? u" The validation images are shown."_s
                                                       : u" The test images are shown."_s);
    Q_EMIT noted(note_);
  }
  showImages();
}

void ImageChoice::setSubject() {
  const bool isCheckpoint = source_.kind == SourceKind::checkpoint;
  predictions_->setSubject(isCheckpoint ? source_.checkpoint : std::filesystem::path(),
                           selection_.split());
}

void ImageChoice::updateRecord(const InspectionSource& source) {
  source_ = source;
  picker_->setTestEvaluations(source.record.testEvaluations);
}

void ImageChoice::chooseImage(int image) {
  reading_.cancel();
  isAwaited_ = false;  // It is one of the images that are there.
  selection_.chooseImage(image);
  picker_->setCurrent(image);
  Q_EMIT chosen();
}

void ImageChoice::chooseSplit(Split split) {
  wanted_ = split;
  if (split == selection_.split()) return;
  reading_.cancel();
  picker_->setFilter(PredictionFilter::all);
  selection_.chooseSplit(split);
  awaitSplit();
  showImages();
  setSubject();
  Q_EMIT chosen();
}

void ImageChoice::openPicture(const QString& path) {
  const MapShape input = inputShape();
  const auto read = [path, input] { return readOwnPicture(path, input.width, input.height); };
  reading_.runNewest(read, [this, path, input](const OwnPicture& picture) {
    if (!picture.problem.isEmpty()) {
      Q_EMIT told(picture.problem, true);
    } else if (input != inputShape()) {
      openPicture(path);  // Other weights were chosen meanwhile.
    } else {
      isAwaited_ = false;
      selection_.choosePicture(picture.image);
      picker_->setPictureName(picture.name);
      Q_EMIT chosen();
    }
  });
}

const MapShape& ImageChoice::inputShape() const {
  return source_.record.config.architecture.input;
}

void ImageChoice::predict() {
  predictions_->request();
}

void ImageChoice::showImages() {
  if (source_.kind == SourceKind::none) return;
  picker_->setImages(selection_.split(), images_->of(selection_.split()));
  picker_->setCurrent(selection_.picture() ? -1 : selection_.image());
}

}  // namespace lambda
