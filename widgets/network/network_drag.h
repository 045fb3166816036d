#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// A drag over the blocks of a network, in the coordinates of its body.
class NetworkDrag {
 public:
  enum class Kind { none, pressed, rubberBand, painting };

  Kind kind() const { return kind_; }

  /// A press that may become a rubber band, which adds to `before`.
  void press(const QPointF& at, const Selection& before);

  /// A drag that turns blocks into another kind, in one undo step.
  void paint(const QPointF& at);

  /// A press that is moved far enough becomes a rubber band.
  void moveTo(const QPointF& to);

  void end() { kind_ = Kind::none; }

  const QPointF& at() const { return at_; }

  QRectF rectangle() const { return QRectF(from_, at_).normalized(); }

  /// What is selected where these blocks lie in the rectangle.
  Selection with(const Selection& inside) const;

  /// The name of the undo step that the drag makes.
  const QString& gesture() const { return gesture_; }

  int countPainted() { return ++painted_; }

  /// What the drag has fitted so far.
  QStringList& fittings() { return fittings_; }

 private:
  Kind kind_ = Kind::none;
  QPointF from_;
  QPointF at_;
  Selection before_;
  QString gesture_;
  int painted_ = 0;
  QStringList fittings_;
};

}  // namespace lambda
