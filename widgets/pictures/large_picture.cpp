#include "widgets/pictures/large_picture.h"

#include <QEvent>
#include <QVBoxLayout>

#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"

namespace lambda {

namespace {

constexpr double kShareOfWindow = 0.92;

}  // namespace

LargePicture::LargePicture(HeatmapView& source) : QDialog(source.window()) {
  follow(source);
}

LargePicture::LargePicture(ImageView& source) : QDialog(source.window()) {
  connect(follow(source), &ImageView::queryChosen, &source, [&source](int row, int column) {
    source.setQuery(Cell{.row = row, .column = column});
    Q_EMIT source.queryChosen(row, column);
  });
}

template <class View>
View* LargePicture::follow(View& source) {
  auto* view = new View(this);
  view->showSameAs(source);
  connect(&source, &View::contentChanged, view, [view, &source] { view->showSameAs(source); });
  connect(&source, &QObject::destroyed, this, &QDialog::reject);
  setWindowTitle(source.accessibleName());
  view->setAccessibleName(source.accessibleName());
  arrange(*view, *view);
  resize(source.window()->size() * kShareOfWindow);
  return view;
}

void LargePicture::arrange(QWidget& view, const Exportable& picture) {
  setAttribute(Qt::WA_DeleteOnClose);
  view_ = &view;
  view.installEventFilter(this);
  auto* column = new QVBoxLayout(this);
  column->addWidget(makeExportButton(picture, view), 0, Qt::AlignRight);
  column->addWidget(&view, 1);
  view.setFocus();
}

bool LargePicture::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::MouseButtonDblClick) {
    close();
    return true;
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace lambda
