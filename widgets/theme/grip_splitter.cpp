#include "widgets/theme/grip_splitter.h"

#include <algorithm>

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSplitterHandle>

#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kHandle = 8;
constexpr double kGripLength = 28;
constexpr double kGripWidth = 3;

class GripHandle : public QSplitterHandle {
 public:
  GripHandle(Qt::Orientation orientation, GripSplitter& owner)
      : QSplitterHandle(orientation, &owner), owner_(owner) {
    setAttribute(Qt::WA_Hover);
    setToolTip(u"Drag to resize; a double click restores the standard size"_s);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Colors& colors = colorsOf(*this);
    const bool isAcross = orientation() == Qt::Horizontal;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), colors.surface);
    painter.fillRect(isAcross ? QRect(0, 0, 1, height()) : QRect(0, 0, width(), 1),
                     colors.hairline);
    QRectF grip(QPointF(),
                isAcross ? QSizeF(kGripWidth, kGripLength) : QSizeF(kGripLength, kGripWidth));
    grip.moveCenter(QRectF(rect()).center());
    painter.setPen(Qt::NoPen);
    painter.setBrush(underMouse() || isPressed_ ? colors.accent : colors.textDisabled);
    painter.drawRoundedRect(grip, kGripWidth / 2, kGripWidth / 2);
  }

  void mousePressEvent(QMouseEvent* event) override {
    isPressed_ = event->button() == Qt::LeftButton;
    QSplitterHandle::mousePressEvent(event);
    update();
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    isPressed_ = false;
    QSplitterHandle::mouseReleaseEvent(event);
    update();
  }

  void mouseDoubleClickEvent(QMouseEvent*) override { Q_EMIT owner_.resetRequested(); }

 private:
  GripSplitter& owner_;
  bool isPressed_ = false;
};

}  // namespace

GripSplitter::GripSplitter(Qt::Orientation orientation, QWidget* parent)
    : QSplitter(orientation, parent) {
  setHandleWidth(kHandle);
  setChildrenCollapsible(false);
  connect(this, &GripSplitter::resetRequested, this, &GripSplitter::applyStandardSizes);
}

void GripSplitter::setStandardSizes(const QList<int>& sizes) {
  standardSizes_ = sizes;
  applyStandardSizes();
}

void GripSplitter::restoreLayout(const QByteArray& state) {
  if (!restoreState(state)) applyStandardSizes();
}

void GripSplitter::applyStandardSizes() {
  if (standardSizes_.isEmpty()) return;
  QList<int> sizes = standardSizes_;
  const bool isAcross = orientation() == Qt::Horizontal;
  int free = (isAcross ? width() : height()) - handleWidth() * (count() - 1);
  int stretches = 0;
  const auto stretchOf = [&](qsizetype i) {
    const QSizePolicy policy = widget(static_cast<int>(i))->sizePolicy();
    return isAcross ? policy.horizontalStretch() : policy.verticalStretch();
  };
  for (qsizetype i = 0; i < sizes.size(); ++i) {
    free -= sizes[i];
    stretches += stretchOf(i);
  }
  for (qsizetype i = 0; i < sizes.size() && stretches > 0; ++i) {
    sizes[i] = std::max(0, sizes[i] + free * stretchOf(i) / stretches);
  }
  setSizes(sizes);
}

QSplitterHandle* GripSplitter::createHandle() {
  return new GripHandle(orientation(), *this);
}

}  // namespace lambda
