#pragma once

#include <functional>
#include <vector>

#include <QObject>
#include <QString>
#include <QTimer>

class QWidget;

namespace lambda {

class TourCard;
class TourFrame;

/// One place that the tour points at.
struct TourStop {
  QString title;
  QString text;                       ///< One thought.
  std::function<void()> goTo;         ///< Shows the page.
  std::function<QWidget*()> control;  ///< What it points at; null where it is not shown.
};

/// Points at one control after the other: a frame around it and a card beside it. It covers nothing
/// that could be clicked except by the card, so that work goes on. Escape ends it while the card
/// has the keyboard; the right and left arrow keys move on and back.
class Tour : public QObject {
  Q_OBJECT

 public:
  /// `window` has the controls and outlives the tour.
  Tour(QWidget& window, std::vector<TourStop> stops, QObject* parent = nullptr);
  ~Tour() override;

  /// Starts at the first stop, also while it is under way.
  void begin();
  void end();

  bool isActive() const { return card_ != nullptr; }

  int current() const { return current_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void goTo(int stop);
  void place();

  QWidget& window_;
  std::vector<TourStop> stops_;
  int current_ = 0;
  TourCard* card_ = nullptr;  ///< Children of the window; null between two tours.
  TourFrame* frame_ = nullptr;
  QTimer follow_;  ///< Controls move when a page is laid out again or scrolled.
};

}  // namespace lambda
