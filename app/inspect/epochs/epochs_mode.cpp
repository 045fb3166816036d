#include "app/inspect/epochs/epochs_mode.h"

#include <algorithm>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/feed/run_images.h"
#include "app/inspect/panels/panel_deck.h"
#include "app/inspect/probe_view.h"
#include "widgets/pictures/images/image_conversion.h"

using namespace Qt::StringLiterals;

namespace lambda {

EpochsMode::EpochsMode(RunImages& images, PanelDeck& deck, QObject* parent)
    : InspectMode(parent), images_(images), deck_(deck), player_(new EpochPlayer) {
  connect(player_, &EpochPlayer::probeShown, this, &EpochsMode::showProbe);
  connect(&images_, &RunImages::arrived, this, [this] {
    if (isShown_) show(selection_);
  });
  connect(
      player_, &EpochPlayer::exported, this, [this](const QString& folder, const QString& problem) {
        Q_EMIT told(problem.isEmpty() ? u"The epochs are in %1."_s.arg(folder) : problem,
                    !problem.isEmpty());
      });
  connect(player_, &EpochPlayer::epochLost, this, [this](const QString& reason) {
    if (isShown_) deck_.showFailure(reason);
  });
  connect(player_, &EpochPlayer::epochsMissed, this, [this](const QString& problem) {
    Q_EMIT told(u"Not all epochs can be played. %1"_s.arg(problem), true);
  });
}

InspectMode::Parts EpochsMode::parts() {
  return {.view = &deck_, .bottom = player_};
}

void EpochsMode::togglePlaying() {
  if (isShown_) player_->togglePlaying();
}

void EpochsMode::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(source_);
  source_ = source;
  if (isShown_ && isOther) open();
}

void EpochsMode::begin(const InspectSelection& /*selection*/) {
  isShown_ = true;
  open();
}

void EpochsMode::end() {
  isShown_ = false;
  player_->pause();
}

void EpochsMode::open() {
  // The probe is the first validation image.
  images_.of(Split::validation);
  deck_.setState({.note = u"Reading the epochs …"_s});
  player_->open(source_.run / "inspection", inspectableLayers(source_.record.config.architecture));
}

void EpochsMode::show(const InspectSelection& selection) {
  selection_ = selection;
  if (const InspectableLayer* layer = selection_.layer()) player_->setLayer(*layer);
}

void EpochsMode::setInView(bool isInView) {
  if (!isInView) player_->pause();
}

void EpochsMode::showProbe(const std::shared_ptr<const ProbeSnapshot>& probe) {
  const InspectableLayer* layer = selection_.layer();
  if (!isShown_ || layer == nullptr) return;
  if (!probe) {
    deck_.setState(
        {.note = u"This run has stored no snapshots. Runs store one after each epoch."_s});
    return;
  }
  InspectionSnapshot snapshot = snapshotOf(*probe, *layer);
  if (const ImagesPointer images = images_.of(Split::validation); images && images->count() > 0) {
    snapshot.image = imageAt(*images, 0);
    if (!images->labels.empty()) snapshot.label = images->labels.front();
    snapshot.classNames = images->classNames;
  }
  for (const InspectableLayer& other : selection_.layers()) {
    deck_.layers().setLambda(other.name, lambdaOf(*probe, other.name));
  }
  deck_.setState({.snapshot = std::make_shared<const InspectionSnapshot>(std::move(snapshot)),
                  .scales = scales()});
  Q_EMIT changed();
}

PanelScales EpochsMode::scales() const {
  ProbeNorms most;
  for (const ProbeNorms& norms : player_->norms()) {
    most.greatestLambda = std::max(most.greatestLambda, norms.greatestLambda);
    most.greatestEmbedding = std::max(most.greatestEmbedding, norms.greatestEmbedding);
    most.greatestChange = std::max(most.greatestChange, norms.greatestChange);
    most.greatestContribution = std::max(most.greatestContribution, norms.greatestContribution);
  }
  const auto orNothing = [](double scale) {
    return scale > 0 ? std::optional(scale) : std::nullopt;
  };
  return {.lambda = orNothing(most.greatestLambda),
          .embedding = orNothing(most.greatestEmbedding),
          .embeddingChange = orNothing(most.greatestChange),
          .contribution = orNothing(most.greatestContribution)};
}

QString EpochsMode::status() const {
  return u"First validation image, middle position"_s;
}

}  // namespace lambda
