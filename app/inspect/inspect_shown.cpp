// Shows the inspected source on the Inspect page.

#include <algorithm>

#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/inspect/compare/comparison.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/feed/layer_pictures.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/inspect_actions.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/panels/prediction_panel.h"
#include "app/inspect/probe_view.h"
#include "app/inspect/source_chooser.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "widgets/pictures/image_conversion.h"
#include "widgets/pictures/image_view.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

void InspectPage::takeSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  layerList_->setLambda(snapshot->layer.name, snapshot->lambdas.total);
  layerPictures_->forget(snapshot->layer.name);
  if (arePicturesOld_) fetchLayerPictures();
  if (!isPlayingEpochs_ && !isComparing_) showSnapshot(snapshot);
}

void InspectPage::showSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  if (snapshot && !isPlayingEpochs_ && snapshot->layer.name == selection_.layer) {
    // Keys may have moved the query while the snapshot was computed: the position they reached
    // stays framed.
    if (selection_.row < 0) selection_.row = snapshot->queryRow;
    if (selection_.column < 0) selection_.column = snapshot->queryColumn;
  }
  middle_->setCurrentWidget(imagePanel_);
  tabs_->setVisible(true);
  imagePanel_->setSnapshot(snapshot);
  lambdaPanel_->setSnapshot(snapshot);
  embeddingsPanel_->setSnapshot(snapshot);
  keysPanel_->setSnapshot(snapshot);
  predictionPanel_->setSnapshot(snapshot);
  if (snapshot && !isPlayingEpochs_ && snapshot->layer.name == selection_.layer) {
    imagePanel_->setQuery({selection_.row, selection_.column});
  }
  updateStatus();
}

void InspectPage::showFailure(const QString& reason) {
  if (isComparing_ || isPlayingEpochs_) return;
  showSnapshot(nullptr);
  const InspectionSource& source = feed_->source();
  std::error_code error;
  const bool isGone =
      source.kind == SourceKind::checkpoint && !std::filesystem::exists(source.checkpoint, error);
  failure_->setTexts(tr("This can't be inspected"),
                     isGone ? tr("%1 is no longer there. Choose another checkpoint at the top, or "
                                 "open another run.")
                                  .arg(toText(source.checkpoint))
                            : reason);
  middle_->setCurrentWidget(failure_);
  tabs_->setVisible(false);
  updateStatus();
  if (source.kind == SourceKind::none) stack_->setCurrentWidget(splitter_);
}

void InspectPage::showImageAlone() {
  Image image = selection_.picture.value_or(Image());
  if (!selection_.picture) {
    if (const auto images = imagesOf(selection_.split)) {
      image = imageAt(*images, static_cast<std::size_t>(std::max(0, selection_.image)));
    }
  }
  showSnapshot(nullptr);
  imagePanel_->setImage(image);
  const bool hasPredictions = predictions_ && predictions_->split == selection_.split;
  const bool isOffered = !hasPredictions && feed_->source().kind == SourceKind::checkpoint;
  predictionPanel_->setOffer(isOffered ? std::optional(selection_.split) : std::nullopt);
  if (hasPredictions && !selection_.picture) {
    predictionPanel_->setPrediction(*predictions_, selection_.image);
    imagePanel_->setPrediction(predictionPanel_->words());
  }
  tabs_->setCurrentIndex(kPredictionTab);
}

void InspectPage::setCompareMode(bool on) {
  if (on == isComparing_) return;
  isComparing_ = on;
  if (on) setEpochMode(false);
  actions_->compare->setChecked(on);
  feed_->setActive(isVisible() && !on);
  comparison_->setActive(isVisible() && on);
  updateState();
  if (on) {
    comparison_->begin(feed_->source(), selection_.layer);
    if (const InspectableLayer* layer = currentLayer(); layer && selection_.row >= 0) {
      comparison_->setQuery((selection_.row + 0.5) / layer->height,
                            (selection_.column + 0.5) / layer->width);
    }
  }
  ask();
}

void InspectPage::setEpochMode(bool on) {
  if (on == isPlayingEpochs_) return;
  isPlayingEpochs_ = on;
  if (on) setCompareMode(false);
  actions_->epochs->setChecked(on);
  player_->setVisible(on);
  picker_->setVisible(!on);
  feed_->setActive(isVisible() && !on);
  if (on) {
    // The probe is the first validation image, whose picture is taken from the images.
    imagesOf(Split::validation);
    player_->open(feed_->source().run / "inspection");
    if (const InspectableLayer* layer = currentLayer()) player_->setLayer(*layer);
  } else {
    setScales(false);
    showSnapshot(feed_->snapshot());
    ask();
  }
  updateStatus();
}

void InspectPage::takeProbe(const std::shared_ptr<const ProbeSnapshot>& probe) {
  const InspectableLayer* layer = currentLayer();
  if (!isPlayingEpochs_ || layer == nullptr) return;
  if (!probe) {
    showSnapshot(nullptr);
    imagePanel_->setPlaceholder(
        tr("This run has stored no snapshots. Runs store one after each epoch."));
    return;
  }
  InspectionSnapshot snapshot = snapshotOf(*probe, *layer);
  if (const auto images = imagesOf(Split::validation); images && images->count() > 0) {
    snapshot.image = imageAt(*images, 0);
    snapshot.label = images->labels.front();
    snapshot.classNames = images->classNames;
  }
  setScales(true);
  showSnapshot(std::make_shared<const InspectionSnapshot>(std::move(snapshot)));
}

void InspectPage::setScales(bool fixed) {
  std::optional<double> lambda, embedding, change, contribution;
  if (fixed) {
    lambda = embedding = change = contribution = 0;
    for (const ProbeNorms& norms : player_->norms()) {
      lambda = std::max(*lambda, norms.greatestLambda);
      embedding = std::max(*embedding, norms.greatestEmbedding);
      change = std::max(*change, norms.greatestChange);
      contribution = std::max(*contribution, norms.greatestContribution);
    }
  }
  const auto orNothing = [](std::optional<double> scale) {
    return scale && *scale > 0 ? scale : std::nullopt;
  };
  lambdaPanel_->setScale(orNothing(lambda));
  embeddingsPanel_->setScales(orNothing(embedding), orNothing(change));
  imagePanel_->setScale(orNothing(contribution));
}

void InspectPage::predict() {
  const InspectionSource& source = feed_->source();
  if (source.kind != SourceKind::checkpoint || predictionId_ != 0) return;
  predictionId_ = inspection_.predict(
      source.checkpoint,
      selection_.split,
      *this,
      {.answered =
           [this](const PredictionsPointer& predictions) {
             endPrediction();
             predictions_ = predictions;
             picker_->setPredictions(predictions_);
             if (predictions_->split == Split::test) {
               picker_->setTestEvaluations(feed_->source().record.testEvaluations + 1);
             }
             if (layers_.empty()) showImageAlone();
           },
       .failed =
           [this](const QString& reason) {
             endPrediction();
             picker_->setFilter(PredictionFilter::all);
             Q_EMIT told(reason, true);
           },
       .progressed = [this](qint64 done,
                            qint64 total) { picker_->setProgress(std::pair(done, total)); }});
  picker_->setProgress(std::pair<qint64, qint64>(0, 0));
}

void InspectPage::endPrediction() {
  predictionId_ = 0;
  picker_->setProgress(std::nullopt);
}

void InspectPage::forgetPredictions() {
  inspection_.cancel(predictionId_);
  endPrediction();
  predictions_.reset();
  picker_->setPredictions(nullptr);
  picker_->setFilter(PredictionFilter::all);
}

void InspectPage::updateState() {
  const bool hasSource = feed_->source().kind != SourceKind::none;
  const bool hasLayers = !layers_.empty();
  if (!hasSource) {
    if (chooser_->isEmpty()) {
      empty_->setTexts(tr("Nothing to inspect yet"),
                       tr("Train a network with a lambda layer, a minute is enough, or open a run "
                          "that somebody else has trained."));
    } else {
      empty_->setTexts(tr("Choose a run at the top"),
                       tr("Or train a network and inspect it while it learns."));
    }
    empty_->setButtons(tr("Train one"), tr("Open a run"));
  }
  stack_->setCurrentWidget(!hasSource     ? static_cast<QWidget*>(empty_)
                           : isComparing_ ? static_cast<QWidget*>(comparisonArea_)
                                          : static_cast<QWidget*>(splitter_));
  picker_->setVisible(hasSource && !isPlayingEpochs_);
  bottomLine_->setVisible(hasSource);
  noLayers_->setText(
      tr("This network has no lambda layer (%1), so only its prediction is shown. "
         "Turn a block into a lambda layer in Design.")
          .arg(
              QString::fromStdString(feed_->source().record.pattern).replace(u'-', QChar(0x2011))));
  noLayers_->setVisible(hasSource && !hasLayers);
  layerList_->setVisible(hasLayers);
  predictionPanel_->setOffer(std::nullopt);
  for (const Tab tab : {kLambdaTab, kEmbeddingsTab, kKeysTab}) {
    tabs_->setTabEnabled(tab, hasLayers || !hasSource);
  }
  imagePanel_->setControlsEnabled(hasLayers);
  chooser_->setVisible(!isComparing_);
  status_->setVisible(!isComparing_);
  comparison_->controls().setVisible(isComparing_ && hasSource);
  for (QAction* action : {actions_->compare, actions_->epochs}) {
    action->setEnabled(hasSource && hasLayers);
  }
  updateStatus();
}

void InspectPage::updateStatus() {
  const InspectionSource& source = feed_->source();
  const auto snapshot = feed_->snapshot();
  if (source.kind == SourceKind::none || isComparing_) {
    status_->setText({});
  } else if (isPlayingEpochs_) {
    status_->setText(tr("First validation image, middle position"));
  } else if (!snapshot || middle_->currentWidget() == failure_) {
    status_->setText({});
  } else if (source.kind == SourceKind::checkpoint) {
    status_->setText(tr("%1, step %2, epoch %3")
                         .arg(weightsText(snapshot->weights), countText(snapshot->step))
                         .arg(snapshot->epoch));
  } else if (feed_->ageSeconds() > 0) {
    status_->setText(tr("Live: step %1, %2 old")
                         .arg(countText(snapshot->step), durationText(feed_->ageSeconds())));
  } else {
    const bool isPaused = training_.state() == SessionState::paused;
    status_->setText(isPaused ? tr("Live: step %1, paused").arg(countText(snapshot->step))
                              : tr("Live: step %1, up to date").arg(countText(snapshot->step)));
  }
  // The weights of the network in training are announced in large letters.
  const QString role =
      source.kind == SourceKind::live && !isPlayingEpochs_ ? u"heading"_s : u"secondary"_s;
  setRole(*status_, role);
}

}  // namespace lambda
