#pragma once

#include <QFrame>
#include <QPointer>

class QAbstractButton;
class QHBoxLayout;
class QLabel;
class QScrollArea;
class QToolButton;

namespace lambda {

/// A choice of cards over a page, below a title. Arrow keys move among the cards. Escape and the
/// cross close it, and the focus returns to where it was; so does a choice, which subclasses
/// report.
class CardGallery : public QFrame {
  Q_OBJECT

 public:
  CardGallery(const QString& title, const QString& note, QWidget* parent);

  /// Opens over this area of the page, as large as the cards need.
  void openOver(const QRect& area);

 Q_SIGNALS:
  void closed();

 protected:
  static constexpr int kGap = 12;  ///< Between cards.

  /// The parent of all cards.
  QWidget& content() { return *content_; }

  /// The best width of the cards where `available` is the most.
  virtual int contentWidth(int available) const = 0;

  /// Places the cards in that width; returns their height.
  virtual int arrange(int width) = 0;

  /// Adds a control between the title and the cross.
  void addControl(QWidget& control);

  /// Places the cards anew, after other ones are shown.
  void placeCards();

  /// Scrolls to the first card.
  void scrollToTop();

  /// Adds a card, from which arrow keys lead to the others.
  void addCard(QAbstractButton& card);

  /// Moves the cursor to a card and scrolls to it.
  void focusCard(QAbstractButton& card, Qt::FocusReason reason);

  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void dismiss();
  bool moveFrom(QAbstractButton& card, int key);

  QPointer<QWidget> opener_;  ///< What had the focus before.
  QHBoxLayout* header_;
  QLabel* note_;
  QWidget* content_;
  QScrollArea* area_;
  QToolButton* close_;
};

}  // namespace lambda
