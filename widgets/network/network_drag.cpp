#include "widgets/network/network_drag.h"

#include <QApplication>
#include <QUuid>

namespace lambda {

void NetworkDrag::press(const QPointF& at, const Selection& before) {
  kind_ = Kind::pressed;
  from_ = at_ = at;
  before_ = before;
}

void NetworkDrag::paint(const QPointF& at) {
  kind_ = Kind::painting;
  from_ = at_ = at;
  gesture_ = QUuid::createUuid().toString();
  painted_ = 0;
}

void NetworkDrag::moveTo(const QPointF& to) {
  const bool isFar = (to - from_).manhattanLength() >= QApplication::startDragDistance();
  if (kind_ == Kind::pressed && isFar) kind_ = Kind::rubberBand;
  at_ = to;
}

Selection NetworkDrag::with(const Selection& inside) const {
  Selection all = before_;
  all.insert(inside.begin(), inside.end());
  return all;
}

}  // namespace lambda
