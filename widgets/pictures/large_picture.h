#pragma once

#include <QDialog>

namespace lambda {

class HeatmapView;

/// A heat map in a window of its own, almost as large as the window of `source`, whose content it
/// follows. Escape or a double-click closes it.
class LargePicture : public QDialog {
  Q_OBJECT

 public:
  explicit LargePicture(HeatmapView& source);

  HeatmapView& view() { return *view_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  HeatmapView* view_;
};

}  // namespace lambda
