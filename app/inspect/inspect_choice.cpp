// The choice of the source, layer, image and query of the Inspect page.

#include <algorithm>

#include <QFileInfo>
#include <QImageReader>

#include "app/inspect/compare/comparison.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/feed/layer_pictures.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/inspect_actions.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/source_chooser.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "widgets/pictures/image_conversion.h"
#include "widgets/pictures/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda {

void InspectPage::setRuns(const std::vector<RunSummary>& runs) {
  chooser_->setRuns(runs);
  comparison_->setRuns(runs);
  feed_->setSource(chooser_->source());
  picker_->setTestEvaluations(feed_->source().record.testEvaluations);
  if (isVisible() && feed_->source().kind == SourceKind::none) chooser_->showNewest();
  updateState();
}

void InspectPage::showRun(const std::filesystem::path& path) {
  const QString problem = chooser_->showRun(path);
  setCompareMode(false);
  if (problem.isEmpty()) return;
  Q_EMIT told(problem, true);
  if (feed_->source().kind == SourceKind::none) showFailure(problem);
}

void InspectPage::showImage(const std::filesystem::path& path, Split split, int image) {
  showRun(path);
  selection_.split = split;
  selection_.picture.reset();
  loadImages();
  chooseImage(image);
}

void InspectPage::showLive() {
  if (chooser_->showLive()) {
    setCompareMode(false);
  } else {
    Q_EMIT told(tr("No training is under way. Start one, then inspect it here."), false);
  }
}

void InspectPage::takeLive() {
  std::optional<InspectionSource> live;
  const TrainingStatus& status = training_.status();
  if (training_.isBusy() && !status.run.empty()) {
    live = InspectionSource{
        .kind = SourceKind::live,
        .run = status.run,
        .record = status.record,
        .label = tr("Live: %1").arg(QString::fromStdString(status.record.config.name))};
  }
  actions_->showLive->setEnabled(live.has_value());
  chooser_->setLive(live);
  comparison_->setLive(live);
  if (isVisible() && feed_->source().kind == SourceKind::none) chooser_->showNewest();
  updateState();
}

void InspectPage::takeSource(const InspectionSource& source) {
  const bool isSameRunData =
      isSameData(source.record.config.data, feed_->source().record.config.data);
  forgetPredictions();
  feed_->setSource(source);
  feed_->setActive(isVisible() && !isComparing_ && !isPlayingEpochs_);
  layers_ = inspectableLayers(source.record.config.architecture);
  layerPictures_->stop();
  arePicturesOld_ = true;
  layerList_->clearLambdas();
  layerList_->setLayers(layers_);
  if (currentLayer() == nullptr) {
    selection_.layer = layers_.empty() ? std::string() : layers_.front().name;
    selection_.row = selection_.column = -1;
  }
  layerList_->setCurrentLayer(selection_.layer);
  if (!isSameRunData) {
    selection_.image = 0;
    picker_->setCurrent(0);
  }
  const MapShape& input = source.record.config.architecture.input;
  if (selection_.picture &&
      (selection_.picture->width != input.width || selection_.picture->height != input.height)) {
    selection_.picture.reset();
  }
  picker_->setTestEvaluations(source.record.testEvaluations);
  picker_->setPredictable(source.kind == SourceKind::checkpoint,
                          tr("Predictions need a checkpoint: choose one of the run's, at the top"));
  loadImages();
  updateState();
  if (isPlayingEpochs_) {
    player_->open(source.run / "inspection");
    if (const InspectableLayer* layer = currentLayer()) player_->setLayer(*layer);
  }
  ask();
}

const InspectableLayer* InspectPage::currentLayer() const {
  const auto found = std::find_if(layers_.begin(), layers_.end(), [this](const auto& layer) {
    return layer.name == selection_.layer;
  });
  return found == layers_.end() ? nullptr : &*found;
}

void InspectPage::chooseLayer(const std::string& name) {
  const InspectableLayer* before = currentLayer();
  const int row = selection_.row, column = selection_.column;
  const int height = before ? before->height : 1, width = before ? before->width : 1;
  selection_.layer = name;
  layerList_->setCurrentLayer(name);
  const InspectableLayer* layer = currentLayer();
  if (layer == nullptr) return;
  // The same place of the image on a map of another size.
  if (row >= 0) selection_.row = row * layer->height / height;
  if (column >= 0) selection_.column = column * layer->width / width;
  if (isPlayingEpochs_) {
    player_->setLayer(*layer);
  } else {
    ask();
  }
}

void InspectPage::chooseQuery(int row, int column) {
  if (isPlayingEpochs_) {
    // A stored snapshot contains only the middle position.
    if (const InspectableLayer* layer = currentLayer()) {
      imagePanel_->setQuery({layer->height / 2, layer->width / 2});
    }
    return;
  }
  selection_.row = row;
  selection_.column = column;
  ask();
}

void InspectPage::chooseImage(int image) {
  arePicturesOld_ = true;
  selection_.image = image;
  selection_.picture.reset();
  selection_.pictureName.clear();
  picker_->setCurrent(image);
  ask();
}

void InspectPage::chooseSplit(Split split) {
  if (split == selection_.split) return;
  forgetPredictions();
  selection_.split = split;
  selection_.picture.reset();
  selection_.image = 0;
  arePicturesOld_ = true;
  picker_->setCurrent(0);
  loadImages();
  ask();
}

void InspectPage::openPicture(const QString& path) {
  QImageReader reader(path);
  reader.setAutoTransform(true);
  const QImage picture = reader.read();
  if (picture.isNull()) {
    Q_EMIT told(tr("%1 can't be read as a picture: %2. Use a PNG or JPEG file.")
                    .arg(QFileInfo(path).fileName(), reader.errorString()),
                true);
    return;
  }
  const MapShape& input = feed_->source().record.config.architecture.input;
  selection_.picture = fittedPicture(picture, input.width, input.height);
  selection_.pictureName = QFileInfo(path).fileName();
  arePicturesOld_ = true;
  picker_->setPictureName(selection_.pictureName);
  ask();
}

void InspectPage::loadImages() {
  if (feed_->source().kind == SourceKind::none) return;
  picker_->setImages(selection_.split, imagesOf(selection_.split));
  picker_->setCurrent(selection_.picture ? -1 : selection_.image);
  if (layers_.empty()) showImageAlone();
}

std::shared_ptr<const LabeledImages> InspectPage::imagesOf(Split split) {
  return inspection_.images().images(
      feed_->source().record.config.data,
      split,
      *this,
      {.answered = [this](const ImagesPointer&) { loadImages(); },
       .failed =
           [this, split, data = feed_->source().record.config.data](const QString& reason) {
             const DataConfig& current = feed_->source().record.config.data;
             if (split == selection_.split && isSameData(data, current)) {
               picker_->setImages(split, nullptr, reason);
             }
           }});
}

InspectionRequest InspectPage::request() const {
  return {.layer = selection_.layer,
          .split = selection_.split,
          .image = selection_.image,
          .queryRow = selection_.row,
          .queryColumn = selection_.column,
          .picture = selection_.picture};
}

void InspectPage::ask() {
  if (feed_->source().kind == SourceKind::none) return;
  if (isComparing_) {
    comparison_->setImage(request());
    return;
  }
  if (layers_.empty()) {
    showImageAlone();
  } else if (!isPlayingEpochs_) {
    layerPictures_->hold();
    feed_->ask(request());
  }
}

void InspectPage::fetchLayerPictures() {
  arePicturesOld_ = false;
  std::vector<std::string> others;
  for (const InspectableLayer& layer : layers_) {
    if (layer.name != selection_.layer) others.push_back(layer.name);
  }
  layerPictures_->start(feed_->source(), request(), std::move(others));
}

}  // namespace lambda
