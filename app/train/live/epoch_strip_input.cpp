// Pointer, wheel and key events of the strip of epochs.

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include "app/train/live/epoch_strip.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

void EpochStrip::choose(int index) {
  if (index < 0 || index >= count()) return;
  const int epoch = entries_[static_cast<std::size_t>(index)].picture->epoch;
  setChosen(epoch == chosen_ ? -1 : epoch);
  Q_EMIT epochChosen(chosen_);
}

void EpochStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(indexAt(event->position().x()));
}

void EpochStrip::keyPressEvent(QKeyEvent* event) {
  const auto now =
      std::ranges::find(entries_, chosen_, [](const Entry& entry) { return entry.picture->epoch; });
  const int index = now == entries_.end() ? count() : static_cast<int>(now - entries_.begin());
  const auto reveal = [this](int wanted) {
    const int visible = visibleCount(width());
    const int first = firstVisible(width());
    if (wanted < first) scroll_ = count() - visible - wanted;
    if (wanted >= first + visible) scroll_ = std::max(0, count() - 1 - wanted);
    choose(wanted);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      if (index > 0) reveal(index - 1);
      return;
    case Qt::Key_Right:
      if (index + 1 < count()) reveal(index + 1);
      return;
    case Qt::Key_Escape:
      if (chosen_ < 0) break;
      setChosen(-1);
      Q_EMIT epochChosen(-1);
      return;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void EpochStrip::wheelEvent(QWheelEvent* event) {
  const int delta = event->angleDelta().y() + event->angleDelta().x();
  const int most = std::max(0, count() - visibleCount(width()));
  if (most == 0) return event->ignore();
  scroll_ = std::clamp(scroll_ + (delta > 0 ? 1 : delta < 0 ? -1 : 0), 0, most);
  update();
}

bool EpochStrip::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = indexAt(help->pos().x());
    if (index >= 0) {
      const LayerPicture& picture = *entries_[static_cast<std::size_t>(index)].picture;
      QToolTip::showText(help->globalPos(),
                         u"End of epoch %1, step %2: click to enlarge"_s.arg(picture.epoch)
                             .arg(countText(picture.step)),
                         this);
      return true;
    }
  }
  return QWidget::event(event);
}

}  // namespace lambda
