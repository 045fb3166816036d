#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace lambda {

/// Shown where there is no content: why, what to do, and the buttons for it.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);

  void setTexts(const QString& title, const QString& text);
  /// A button with an empty text is hidden.
  void setButtons(const QString& first, const QString& second = {});

  QString title() const;
  QString text() const;

  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void firstClicked();
  void secondClicked();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitToText();

  QLabel* title_;
  QLabel* text_;
  QPushButton* first_;
  QPushButton* second_;
};

}  // namespace lambda
