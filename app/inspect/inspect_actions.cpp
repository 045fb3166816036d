#include "app/inspect/inspect_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QWidget>

#include "app/inspect/panels/panel_parts.h"
#include "widgets/theme/icons.h"

using namespace Qt::StringLiterals;

namespace lambda {

InspectActions::InspectActions(QWidget& page)
    : showLive(makePageAction(
          *this, tr("Inspect the running training"), Qt::Key_V, tr("Show the live weights"))),
      modes{
          makePageAction(*this, tr("Image"), Qt::Key_I, tr("One image through these weights")),
          makePageAction(*this,
                         tr("Epochs"),
                         Qt::Key_E,
                         tr("Play through the snapshots stored after each epoch")),
          makePageAction(
              *this, tr("Compare"), Qt::Key_C, tr("Two layers, checkpoints or runs side by side"))},
      play(makePageAction(*this, tr("Play the epochs"), Qt::Key_P, tr("Play or pause"))),
      previousLayer(makePageAction(
          *this, tr("Previous layer"), Qt::Key_BracketLeft, tr("Previous lambda layer"))),
      nextLayer(
          makePageAction(*this, tr("Next layer"), Qt::Key_BracketRight, tr("Next lambda layer"))),
      previousImage(makePageAction(*this, tr("Previous image"), Qt::Key_B, tr("Previous image"))),
      nextImage(makePageAction(*this, tr("Next image"), Qt::Key_N, tr("Next image"))),
      randomImage(makePageAction(*this, tr("Random image"), Qt::Key_R, tr("An image at random"))),
      wrongImages(makePageAction(
          *this, tr("Wrong predictions"), Qt::Key_W, tr("Images with wrong predictions"))),
      ownPicture(makePageAction(*this,
                                tr("Own picture …"),
                                QKeySequence(u"Ctrl+Shift+O"_s),
                                tr("Open a picture file, or drop one on the page"))),
      page_(page) {
  auto* group = new QActionGroup(this);
  for (QAction* mode : modes) {
    mode->setCheckable(true);
    group->addAction(mode);
  }
  updateIcons();
}

void InspectActions::updateIcons() {
  modes[0]->setIcon(icon(u"image"_s, page_));
  modes[1]->setIcon(icon(u"play"_s, page_));
  modes[2]->setIcon(icon(u"compare"_s, page_));
  previousImage->setIcon(icon(u"chevron-left"_s, page_));
  nextImage->setIcon(icon(u"chevron-right"_s, page_));
  randomImage->setIcon(icon(u"dice"_s, page_));
  ownPicture->setIcon(icon(u"open"_s, page_));
}

}  // namespace lambda
