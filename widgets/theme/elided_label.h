#pragma once

#include <QLabel>

namespace lambda {

/// A line of text that shrinks: text that does not fit is cut with an ellipsis and shown in the
/// tooltip.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  void setText(const QString& text);

  /// The whole text.
  const QString& fullText() const { return text_; }

  /// Where the ellipsis stands; at first on the right.
  void setElideMode(Qt::TextElideMode mode);

  /// Additional text of the tooltip.
  void setDetails(const QString& details);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void elide();

  QString text_;
  QString details_;
  Qt::TextElideMode mode_ = Qt::ElideRight;
};

}  // namespace lambda
