#include "app/inspect/own_picture.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QImageReader>
#include <QMimeData>
#include <QStandardPaths>
#include <QUrl>

namespace lambda {

OwnPicture readOwnPicture(const QString& path) {
  QImageReader reader(path);
  reader.setAutoTransform(true);
  OwnPicture picture{.image = reader.read(), .name = QFileInfo(path).fileName(), .problem = {}};
  if (picture.image.isNull()) {
    picture.problem = QCoreApplication::translate(
                          "Inspect", "Could not read %1 as a picture: %2. Use a PNG or JPEG file.")
                          .arg(picture.name, reader.errorString());
  }
  return picture;
}

QString pictureIn(const QMimeData& data) {
  const QList<QUrl> urls = data.urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
  const QString path = urls.front().toLocalFile();
  const QByteArray ending = QFileInfo(path).suffix().toLower().toLatin1();
  return QImageReader::supportedImageFormats().contains(ending) ? path : QString();
}

void askForPicture(QWidget& parent, const std::function<void(const QString&)>& chosen) {
  auto* dialog = new QFileDialog(
      &parent,
      QCoreApplication::translate("Inspect", "Open a picture"),
      QStandardPaths::writableLocation(QStandardPaths::PicturesLocation),
      QCoreApplication::translate("Inspect",
                                  "Pictures (*.png *.jpg *.jpeg *.bmp *.gif *.webp *.ppm *.svg)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
  dialog->open();
}

}  // namespace lambda
