#include "widgets/theme/elided_label.h"

#include <QResizeEvent>

#include "widgets/theme/look_changes.h"

using namespace Qt::StringLiterals;

namespace lambda {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  onFontChange(*this, [this] { elide(); });
}

void ElidedLabel::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  setAccessibleName(text);
  elide();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
  mode_ = mode;
  elide();
}

void ElidedLabel::setDetails(const QString& details) {
  details_ = details;
  elide();
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  elide();
}

void ElidedLabel::elide() {
  const QString shown = fontMetrics().elidedText(text_, mode_, contentsRect().width());
  QLabel::setText(shown);
  QStringList tip;
  if (shown != text_) tip << text_;
  if (!details_.isEmpty()) tip << details_;
  setToolTip(tip.join(u"\n\n"_s));
}

}  // namespace lambda
