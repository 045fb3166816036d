#include "app/inspect/inspect_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QWidget>

#include "app/inspect/panels/panel_parts.h"
#include "app/session/page.h"
#include "widgets/theme/icons.h"

using namespace Qt::StringLiterals;

namespace lambda {

InspectActions::InspectActions(QWidget& page)
    : showLive(makePageAction(
          *this, u"Inspect the running training"_s, Qt::Key_V, u"Show the live weights"_s)),
      modes{makePageAction(*this, u"Image"_s, Qt::Key_I, u"One image through these weights"_s),
            makePageAction(*this,
                           u"Epochs"_s,
                           Qt::Key_E,
                           u"Play through the snapshots stored after each epoch"_s),
            makePageAction(
                *this, u"Compare"_s, Qt::Key_C, u"Two layers, checkpoints or runs side by side"_s),
            makePageAction(*this, u"Text"_s, Qt::Key_T, u"One text through these weights"_s),
            makePageAction(*this, u"Generate"_s, Qt::Key_M, u"Let the network continue a text"_s)},
      play(makePageAction(*this, u"Play the epochs"_s, Qt::Key_P, u"Play or pause"_s)),
      previousLayer(
          makePageAction(*this, u"Previous layer"_s, Qt::Key_BracketLeft, u"Previous layer"_s)),
      nextLayer(makePageAction(*this, u"Next layer"_s, Qt::Key_BracketRight, u"Next layer"_s)),
      previousImage(makePageAction(*this, u"Previous image"_s, Qt::Key_B, u"Previous image"_s)),
      nextImage(makePageAction(*this, u"Next image"_s, Qt::Key_N, u"Next image"_s)),
      randomImage(makePageAction(*this, u"Random image"_s, Qt::Key_R, u"An image at random"_s)),
      wrongImages(makePageAction(
          *this, u"Wrong predictions"_s, Qt::Key_W, u"Images with wrong predictions"_s)),
      ownPicture(makePageAction(*this,
                                u"Own picture …"_s,
                                QKeySequence(u"Ctrl+Shift+O"_s),
                                u"Open a picture file, or drop one on the page"_s)),
      page_(page) {
  auto* group = new QActionGroup(this);
  for (QAction* mode : modes) {
    mode->setCheckable(true);
    group->addAction(mode);
  }
  for (QAction* action : {previousImage, nextImage, randomImage}) {
    action->setProperty(kLastingText, action->text());
  }
  updateIcons();
}

void InspectActions::nameFor(bool takesTokens) {
  const QString what = takesTokens ? u"text"_s : u"image"_s;
  previousImage->setText(u"Previous %1"_s.arg(what));
  nextImage->setText(u"Next %1"_s.arg(what));
  randomImage->setText(u"Random %1"_s.arg(what));
  previousImage->setToolTip(previousImage->text());
  nextImage->setToolTip(nextImage->text());
  randomImage->setToolTip(takesTokens ? u"A text at random"_s : u"An image at random"_s);
}

void InspectActions::updateIcons() {
  modes[0]->setIcon(icon(u"image"_s, page_));
  modes[1]->setIcon(icon(u"play"_s, page_));
  modes[2]->setIcon(icon(u"compare"_s, page_));
  modes[3]->setIcon(icon(u"text"_s, page_));
  modes[4]->setIcon(icon(u"write"_s, page_));
  previousImage->setIcon(icon(u"chevron-left"_s, page_));
  nextImage->setIcon(icon(u"chevron-right"_s, page_));
  randomImage->setIcon(icon(u"dice"_s, page_));
  ownPicture->setIcon(icon(u"open"_s, page_));
}

}  // namespace lambda
