#pragma once

#include <QCheckBox>

namespace lambda {

/// A check box that looks like a switch, in the accent colour when on. Partially checked stands for
/// values that differ; a click turns it on.
class SwitchBox : public QCheckBox {
  Q_OBJECT

 public:
  explicit SwitchBox(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool hitButton(const QPoint& position) const override;
  void nextCheckState() override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
};

}  // namespace lambda
