#include "widgets/pictures/large_picture.h"

#include <QEvent>
#include <QVBoxLayout>

#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"

namespace lambda {

namespace {

constexpr double kShareOfWindow = 0.92;

}  // namespace

LargePicture::LargePicture(HeatmapView& source)
    : QDialog(source.window()), view_(new HeatmapView(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(source.accessibleName());
  view_->showSameAs(source);
  connect(
      &source, &HeatmapView::contentChanged, view_, [this, &source] { view_->showSameAs(source); });
  connect(&source, &QObject::destroyed, this, &QDialog::reject);
  view_->installEventFilter(this);
  auto* column = new QVBoxLayout(this);
  column->addWidget(makeExportButton(*view_, *view_), 0, Qt::AlignRight);
  column->addWidget(view_, 1);
  resize(source.window()->size() * kShareOfWindow);
  view_->setFocus();
}

bool LargePicture::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::MouseButtonDblClick) {
    close();
    return true;
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace lambda
