#include "app/inspect/images/own_picture.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QImageReader>
#include <QMimeData>
#include <QStandardPaths>
#include <QUrl>

#include "widgets/pictures/images/image_conversion.h"

using namespace Qt::StringLiterals;

namespace lambda {

OwnPicture readOwnPicture(const QString& path, int width, int height) {
  QImageReader reader(path);
  reader.setAutoTransform(true);
  const QImage read = reader.read();
  OwnPicture picture{.image = fittedPicture(read, width, height),
                     .name = QFileInfo(path).fileName(),
                     .problem = {}};
  if (read.isNull()) {
    picture.problem = u"Could not read %1 as a picture: %2. Use a PNG or JPEG file."_s.arg(
        picture.name, reader.errorString());
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
  auto* dialog = new QFileDialog(&parent,
                                 u"Open a picture"_s,
                                 QStandardPaths::writableLocation(QStandardPaths::PicturesLocation),
                                 u"Pictures (*.png *.jpg *.jpeg *.bmp *.gif *.webp *.ppm *.svg)"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
  dialog->open();
}

}  // namespace lambda
