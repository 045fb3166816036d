#pragma once

#include <string>

#include <QObject>
#include <QPoint>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;
class QWidget;

namespace lambda {

class CurveReadout;
class CurveScene;

/// Mouse and key events of a CurvePlot: zoom, move, box, crosshair; see CurvePlot. Changes the
/// scene and the read-out and signals it; the owner draws them.
class CurveInteraction : public QObject {
  Q_OBJECT

 public:
  /// Watches the mouse on `canvas`; `owner`, the widget that has the focus, passes the keys.
  CurveInteraction(CurveScene& scene, CurveReadout& readout, QWidget& canvas, QWidget& owner);

  /// False where the key has no meaning here.
  bool keyPress(QKeyEvent& event);
  bool keyRelease(QKeyEvent& event);

  /// The focus is lost, and held keys with it.
  void release();

  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  /// A person has changed the ranges.
  void moved();
  void everythingRequested();
  /// A line or its name was clicked.
  void seriesClicked(const std::string& key);
  void spaceTapped();

 private:
  enum class Drag { none, box, move };

  bool mousePress(QMouseEvent& event);
  bool mouseMove(QMouseEvent& event);
  bool mouseRelease(QMouseEvent& event);
  bool wheel(QWheelEvent& event);
  void hover(const QPointF& pixel);
  void click(const QPointF& pixel);
  void endDrag();
  QRect boxTo(const QPoint& at) const;
  void zoomTo(const QRect& box);
  void zoomAboutMiddle(double factor);
  void moveBy(double xShare, double yShare);

  CurveScene& scene_;
  CurveReadout& readout_;
  QWidget& canvas_;
  QWidget& owner_;
  Drag drag_ = Drag::none;
  QPoint pressed_;
  QPoint last_;
  int pressedPanel_ = -1;
  bool space_ = false;      ///< The space bar is held down.
  bool spaceUsed_ = false;  ///< The view was moved since the space bar was pressed.
};

}  // namespace lambda
