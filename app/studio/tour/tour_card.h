#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace lambda {

/// The tour's card: a title, one thought, and the buttons that move on.
class TourCard : public QFrame {
  Q_OBJECT

 public:
  explicit TourCard(QWidget& window);

  /// Shows a stop, and takes the keyboard focus.
  void showStop(const QString& title, const QString& text, int stop, int count);

  /// Moves beside a rectangle of the window, or into its lower right corner where it is too large;
  /// an empty one means the middle of the window.
  void placeBeside(const QRect& place);

 Q_SIGNALS:
  void nextRequested();
  void backRequested();
  void endRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool handles(int key);
  QSize fittingSize() const;

  QLabel* title_;
  QLabel* text_;
  QLabel* count_;
  QPushButton* skip_;
  QPushButton* back_;
  QPushButton* next_;
};

}  // namespace lambda
