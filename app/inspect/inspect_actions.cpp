#include "app/inspect/inspect_actions.h"

#include <QAction>

#include "app/inspect/contribution_maps.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "widgets/pictures/image_view.h"
#include "widgets/theme/icons.h"

using namespace Qt::StringLiterals;

namespace lambda {

void InspectPage::makeActions() {
  actions_ = std::make_unique<Actions>();
  const auto make = [this](const QString& text, const QKeySequence& key, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(
        key.isEmpty() ? tip : tip + u" ("_s + key.toString(QKeySequence::NativeText) + u')');
    addAction(action);
    return action;
  };
  Actions& a = *actions_;
  a.showLive = make(tr("Inspect the running training"), Qt::Key_V, tr("Show the live weights"));
  a.previousLayer = make(tr("Previous layer"), Qt::Key_BracketLeft, tr("Previous lambda layer"));
  a.nextLayer = make(tr("Next layer"), Qt::Key_BracketRight, tr("Next lambda layer"));
  a.previousHead = make(tr("Previous head"), Qt::Key_Comma, tr("Previous head"));
  a.nextHead = make(tr("Next head"), Qt::Key_Period, tr("Next head"));
  const Qt::Key digits[] = {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4};
  for (std::size_t i = 0; i < kContributionKinds.size(); ++i) {
    QAction* action = make(tr("Show %1").arg(titleOf(kContributionKinds[i]).toLower()),
                           digits[i],
                           tr("Show this over the image"));
    connect(action, &QAction::triggered, this, [this, i] {
      imagePanel_->setQuantity(kContributionKinds[i]);
    });
    a.quantities << action;
  }
  a.grid = make(tr("Grid of positions"), Qt::Key_G, tr("Lines between the layer's positions"));
  a.grid->setCheckable(true);
  a.lockScale = make(tr("Lock the lambda's scale"), Qt::Key_L, tr("Keep the scale while you move"));
  a.lockScale->setCheckable(true);
  a.previousImage = make(tr("Previous image"), Qt::Key_B, tr("Previous image"));
  a.nextImage = make(tr("Next image"), Qt::Key_N, tr("Next image"));
  a.randomImage = make(tr("Random image"), Qt::Key_R, tr("An image at random"));
  a.wrongImages = make(tr("Wrong predictions"), Qt::Key_W, tr("Images with wrong predictions"));
  a.ownPicture = make(tr("Own picture …"),
                      QKeySequence(u"Ctrl+Shift+O"_s),
                      tr("Open a picture file, or drop one on the page"));
  a.compare = make(tr("Compare"), Qt::Key_C, tr("Two layers, checkpoints or runs side by side"));
  a.compare->setCheckable(true);
  a.epochs =
      make(tr("Epochs"), Qt::Key_E, tr("Play through the snapshots stored after each epoch"));
  a.epochs->setCheckable(true);
  a.play = make(tr("Play the epochs"), Qt::Key_P, tr("Play or pause"));

  connect(a.showLive, &QAction::triggered, this, &InspectPage::showLive);
  connect(a.previousLayer, &QAction::triggered, this, [this] { layerList_->step(-1); });
  connect(a.nextLayer, &QAction::triggered, this, [this] { layerList_->step(1); });
  connect(a.previousHead, &QAction::triggered, this, [this] { imagePanel_->stepHead(-1); });
  connect(a.nextHead, &QAction::triggered, this, [this] { imagePanel_->stepHead(1); });
  connect(a.grid, &QAction::toggled, imagePanel_, &ImagePanel::setGridVisible);
  connect(a.lockScale, &QAction::toggled, this, [this](bool on) { lambdaPanel_->setLocked(on); });
  connect(a.previousImage, &QAction::triggered, this, [this] { picker_->step(-1); });
  connect(a.nextImage, &QAction::triggered, this, [this] { picker_->step(1); });
  connect(a.randomImage, &QAction::triggered, this, [this] { picker_->chooseRandom(); });
  connect(a.wrongImages, &QAction::triggered, this, [this] {
    picker_->chooseFilter(PredictionFilter::wrong);
  });
  connect(a.ownPicture, &QAction::triggered, this, &InspectPage::choosePicture);
  connect(a.compare, &QAction::toggled, this, &InspectPage::setCompareMode);
  connect(a.epochs, &QAction::toggled, this, &InspectPage::setEpochMode);
  connect(a.play, &QAction::triggered, this, [this] {
    if (isPlayingEpochs_) player_->togglePlaying();
  });
  updateIcons();
}

void InspectPage::updateIcons() {
  actions_->previousImage->setIcon(icon(u"chevron-left"_s, *this));
  actions_->nextImage->setIcon(icon(u"chevron-right"_s, *this));
  actions_->randomImage->setIcon(icon(u"dice"_s, *this));
  actions_->ownPicture->setIcon(icon(u"image"_s, *this));
  actions_->compare->setIcon(icon(u"compare"_s, *this));
  actions_->epochs->setIcon(icon(u"play"_s, *this));
}

QList<QAction*> InspectPage::pageActions() const {
  const Actions& a = *actions_;
  QList<QAction*> all{
      a.showLive, nullptr, a.previousLayer, a.nextLayer, a.previousHead, a.nextHead, nullptr};
  all += a.quantities;
  all += {a.grid,
          a.lockScale,
          nullptr,
          a.previousImage,
          a.nextImage,
          a.randomImage,
          a.wrongImages,
          a.ownPicture,
          nullptr,
          a.compare,
          a.epochs,
          a.play};
  return all;
}

}  // namespace lambda
