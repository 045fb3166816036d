#pragma once

#include <QScrollArea>
#include <QSize>

namespace lambda {

/// Shows its content in the size of the area, and scrolls it where it needs more. A resizable
/// QScrollArea would scroll a content with wrapped texts already below its preferred height.
class FittedArea : public QScrollArea {
  Q_OBJECT

 public:
  /// `sideways`: whether it scrolls to the sides too. Otherwise the area is as wide as the content
  /// must be, whose texts wrap.
  FittedArea(QWidget& content, bool sideways, QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int leastHeight(int width) const;
  void fit();

  bool isSideways_;
};

}  // namespace lambda
