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

/// What mouse and keys do on a CurvePlot: zoom, move, box, crosshair; see there. Changes the scene
/// and the read-out; whoever draws them listens.
class CurveInteraction : public QObject {
  Q_OBJECT

 public:
  /// Watches the mouse on `canvas`; keys are handed on by the widget that has the focus, `owner`.
  CurveInteraction(CurveScene& scene, CurveReadout& readout, QWidget& canvas, QWidget& owner);

  /// False where the key means nothing here.
  bool keyPress(QKeyEvent& event);
  bool keyRelease(QKeyEvent& event);

  /// The focus is gone, and the keys with it.
  void release();

  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  /// The ranges are new by a person's wish.
  void moved();
  void everythingRequested();
  /// A click on a line or its name.
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
  bool space_ = false;      ///< Held down.
  bool spaceUsed_ = false;  ///< For moving since then.
};

}  // namespace lambda
