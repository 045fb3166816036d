#pragma once

#include <QDialog>

namespace lambda {

class Exportable;
class HeatmapView;
class ImageView;

/// A heat map or an image in a window of its own, almost as large as the window of `source`, whose
/// content it follows. Escape or a double-click closes it.
class LargePicture : public QDialog {
  Q_OBJECT

 public:
  explicit LargePicture(HeatmapView& source);

  /// A position that is chosen here is chosen in the source.
  explicit LargePicture(ImageView& source);

  /// The large view; it has the type of the source.
  QWidget& view() { return *view_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  template <class View>
  View* follow(View& source);
  void arrange(QWidget& view, const Exportable& picture);

  QWidget* view_ = nullptr;
};

}  // namespace lambda
