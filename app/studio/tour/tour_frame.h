#pragma once

#include <QWidget>

namespace lambda {

/// A frame in the accent colour around a control. The mouse goes through it.
class TourFrame : public QWidget {
 public:
  explicit TourFrame(QWidget& window);

  /// Around a rectangle of the window; an empty one hides it.
  void surround(const QRect& place);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace lambda
