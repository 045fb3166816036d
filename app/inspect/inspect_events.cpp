// Events of the Inspect page: show and hide, dropped files, the saved layout.

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QImageReader>
#include <QMimeData>
#include <QSettings>
#include <QStandardPaths>
#include <QTabWidget>

#include "app/inspect/compare/comparison.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/inspect_actions.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/source_chooser.h"
#include "widgets/theme/grip_splitter.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// A file that Qt can read as a picture; empty where the drop contains none.
QString pictureIn(const QMimeData& data) {
  const QList<QUrl> urls = data.urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
  const QString path = urls.front().toLocalFile();
  return QImageReader::imageFormat(path).isEmpty() ? QString() : path;
}

}  // namespace

void InspectPage::saveLayout(QSettings& settings) const {
  settings.setValue(u"splitter"_s, splitter_->saveState());
  settings.setValue(u"tab"_s, tabs_->currentIndex());
  settings.setValue(u"quantity"_s, static_cast<int>(imagePanel_->quantity()));
  settings.setValue(u"overlay"_s, imagePanel_->isOverlay());
  settings.setValue(u"opacity"_s, imagePanel_->opacity());
  settings.setValue(u"oneScale"_s, lambdaPanel_->isOneScale());
  settings.setValue(u"grid"_s, actions_->grid->isChecked());
}

void InspectPage::restoreLayout(QSettings& settings) {
  splitter_->restoreLayout(settings.value(u"splitter"_s).toByteArray());
  tabs_->setCurrentIndex(settings.value(u"tab"_s, 0).toInt());
  const int quantity =
      settings.value(u"quantity"_s, static_cast<int>(ContributionKind::total)).toInt();
  if (quantity >= 0 && quantity < static_cast<int>(kContributionKinds.size())) {
    imagePanel_->setQuantity(kContributionKinds[static_cast<std::size_t>(quantity)]);
  }
  imagePanel_->setOverlay(settings.value(u"overlay"_s, false).toBool());
  imagePanel_->setOpacity(settings.value(u"opacity"_s, imagePanel_->opacity()).toDouble());
  lambdaPanel_->setOneScale(settings.value(u"oneScale"_s, true).toBool());
  actions_->grid->setChecked(settings.value(u"grid"_s, false).toBool());
}

void InspectPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (feed_->source().kind == SourceKind::none && !isComparing_) chooser_->showNewest();
  feed_->setActive(!isComparing_ && !isPlayingEpochs_);
  comparison_->setActive(isComparing_);
  statusTimer_.start();
}

void InspectPage::hideEvent(QHideEvent* event) {
  feed_->setActive(false);
  comparison_->setActive(false);
  statusTimer_.stop();
  Page::hideEvent(event);
}

void InspectPage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && actions_) updateIcons();
  if (event->type() == QEvent::FontChange) fitToText();
  Page::changeEvent(event);
}

void InspectPage::dragEnterEvent(QDragEnterEvent* event) {
  // The window handles other files.
  if (!pictureIn(*event->mimeData()).isEmpty()) {
    event->acceptProposedAction();
  } else {
    event->ignore();
  }
}

void InspectPage::dropEvent(QDropEvent* event) {
  const QString path = pictureIn(*event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openPicture(path);
}

void InspectPage::choosePicture() {
  auto* dialog =
      new QFileDialog(this,
                      tr("Open a picture"),
                      QStandardPaths::writableLocation(QStandardPaths::PicturesLocation),
                      tr("Pictures (*.png *.jpg *.jpeg *.bmp *.gif *.webp *.ppm *.svg)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &InspectPage::openPicture);
  dialog->open();
}

}  // namespace lambda
