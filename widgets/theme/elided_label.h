#pragma once

#include <QLabel>

namespace lambda {

/// A line of text that gives way: what finds no room is cut with an ellipsis and stands in the
/// tooltip.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  void setText(const QString& text);

  /// The whole text.
  const QString& fullText() const { return text_; }

  /// What the tooltip says besides.
  void setDetails(const QString& details);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void elide();

  QString text_;
  QString details_;
};

}  // namespace lambda
