#include "app/inspect/modes/image_mode.h"

#include <algorithm>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/feed/image_predictions.h"
#include "app/inspect/feed/layer_pictures.h"
#include "app/inspect/feed/run_images.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/panels/panel_deck.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/training/training_session.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

ImageMode::ImageMode(TrainingSession& training,
                     CheckpointService& checkpoints,
                     RunImages& images,
                     ImagePredictions& predictions,
                     PanelDeck& deck,
                     QObject* parent)
    : InspectMode(parent),
      training_(training),
      images_(images),
      predictions_(predictions),
      deck_(deck),
      feed_(new SnapshotFeed(training, checkpoints, this)),
      layerPictures_(new LayerPictures(training, checkpoints, this)) {
  connect(feed_, &SnapshotFeed::arrived, this, &ImageMode::takeSnapshot);
  connect(feed_, &SnapshotFeed::failed, this, &ImageMode::showFailure);
  connect(feed_, &SnapshotFeed::busyChanged, this, &ImageMode::busyChanged);
  connect(layerPictures_, &LayerPictures::arrived, &deck_.layers(), &LayerList::setLambda);
  connect(&deck_, &PanelDeck::panelChosen, this, [this] {
    if (isShown_ && deck_.showsPatterns()) show(InspectSelection(selection_));
  });
  const auto updatePlainImage = [this] {
    if (isShown_ && selection_.layers().empty()) showPlainImage();
  };
  connect(&images_, &RunImages::arrived, this, updatePlainImage);
  connect(&predictions_, &ImagePredictions::changed, this, updatePlainImage);
}

InspectMode::Parts ImageMode::parts() {
  return {.view = &deck_};
}

void ImageMode::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(feed_->source());
  feed_->setSource(source);
  if (!isOther) return;
  layerPictures_->stop();
  areLayerPicturesOld_ = true;
}

void ImageMode::begin(const InspectSelection& selection) {
  isShown_ = true;
  selection_ = selection;
  showSnapshot();
}

void ImageMode::end() {
  isShown_ = false;
  layerPictures_->stop();
  areLayerPicturesOld_ = true;
}

void ImageMode::show(const InspectSelection& selection) {
  areLayerPicturesOld_ |= selection.image() != selection_.image() ||
                          selection.split() != selection_.split() ||
                          selection.picture() != selection_.picture();
  selection_ = selection;
  if (feed_->source().kind == SourceKind::none) return;
  if (selection_.layers().empty()) {
    showPlainImage();
    return;
  }
  layerPictures_->hold();
  InspectionRequest request = selection_.request();
  request.withPatterns = deck_.showsPatterns();
  feed_->ask(request);
}

void ImageMode::setInView(bool isInView) {
  feed_->setActive(isInView);
}

void ImageMode::takeSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  predictions_.setStep(snapshot->step);
  if (!isShown_) return;
  deck_.layers().setLambda(snapshot->layer.name, snapshot->lambdas.total);
  layerPictures_->forget(snapshot->layer.name);
  if (areLayerPicturesOld_) fetchLayerPictures();
  showSnapshot();
}

void ImageMode::showSnapshot() {
  const std::shared_ptr<const InspectionSnapshot> snapshot = feed_->snapshot();
  const InspectableLayer* layer = selection_.layer();
  PanelState state{.snapshot = snapshot};
  // Keys may have moved the query while the snapshot was computed: the position they reached stays
  // framed.
  if (snapshot && layer && snapshot->layer.name == layer->name) state.query = selection_.query();
  deck_.setState(state);
  Q_EMIT changed();
}

void ImageMode::showPlainImage() {
  PlainImage plain{.image = selection_.picture().value_or(Image()), .split = selection_.split()};
  const ImagesPointer images = images_.of(selection_.split());
  const bool areNone = images && images->count() == 0;
  if (!selection_.picture()) {
    plain.index = std::max(0, selection_.image());
    if (images) plain.image = imageAt(*images, static_cast<std::size_t>(plain.index));
  }
  plain.predictions = predictions_.known();
  plain.isOffered =
      !plain.predictions && !areNone && feed_->source().kind == SourceKind::checkpoint;
  deck_.setState({.plain = std::move(plain)});
  Q_EMIT changed();
}

void ImageMode::showFailure(const QString& reason) {
  if (!isShown_) return;
  deck_.showFailure(reason);
  nameMissingFile();
  Q_EMIT changed();
}

/// A file that was removed is the most frequent reason.
void ImageMode::nameMissingFile() {
  if (feed_->source().kind != SourceKind::checkpoint) return missingFile_.cancel();
  missingFile_.runNewest(
      [file = feed_->source().checkpoint] {
        std::error_code error;
        return std::filesystem::exists(file, error) ? std::filesystem::path() : file;
      },
      [this](const std::filesystem::path& missing) {
        if (missing.empty() || !isShown_ || missing != feed_->source().checkpoint) return;
        deck_.showFailure(
            u"%1 is no longer there. Choose another checkpoint at the top, or open "
            "another run."_s.arg(toText(missing)));
      });
}

void ImageMode::fetchLayerPictures() {
  areLayerPicturesOld_ = false;
  std::vector<std::string> others;
  for (const InspectableLayer& layer : selection_.layers()) {
    const bool hasPicture = inspectedAs(layer) == InspectedAs::lambdas;
    if (hasPicture && layer.name != selection_.request().layer) others.push_back(layer.name);
  }
  layerPictures_->start(feed_->source(), selection_.request(), std::move(others));
}

QString ImageMode::status() const {
  const std::shared_ptr<const InspectionSnapshot> snapshot = feed_->snapshot();
  if (!snapshot || deck_.showsFailure()) return {};
  if (feed_->source().kind == SourceKind::checkpoint) {
    return u"%1, step %2, epoch %3"_s.arg(weightsText(snapshot->weights), countText(snapshot->step))
        .arg(snapshot->epoch);
  }
  const QString step = countText(snapshot->step);
  if (feed_->ageSeconds() > 0) {
    return u"Live: step %1, %2 old"_s.arg(step, durationText(feed_->ageSeconds()));
  }
  return training_.state() == SessionState::paused ? u"Live: step %1, paused"_s.arg(step)
                                                   : u"Live: step %1, up to date"_s.arg(step);
}

}  // namespace lambda
