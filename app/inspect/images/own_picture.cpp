#include "app/inspect/images/own_picture.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QImageReader>
#include <QMimeData>
#include <QStandardPaths>
#include <QUrl>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::uint64_t kMostBytes = 256ULL << 20;

/// A JPEG, PNG or WebP file by the decoder and the filter of training and `lambda predict`, so that
/// all see the same pixels; nothing for another format or a damaged file.
std::optional<Image> asInTraining(const QString& path, int width, int height) {
  try {
    const std::string bytes = readFile(toPath(path), kMostBytes);
    const Image whole = decodePicture(std::as_bytes(std::span(bytes)), path.toStdString()).image;
    const std::vector<std::uint8_t> planes = inputImage(whole, {3, height, width});
    Image image{.width = width, .height = height, .rgb = {}};
    const std::size_t positions = planes.size() / 3;
    for (std::size_t i = 0; i < positions; ++i) {
      for (std::size_t c = 0; c < 3; ++c) image.rgb.push_back(planes[c * positions + i]);
    }
    return image;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

OwnPicture readOwnPicture(const QString& path, int width, int height) {
  const QString name = QFileInfo(path).fileName();
  if (const auto image = asInTraining(path, width, height)) {
    return {.image = *image, .name = name, .problem = {}};
  }
  QImageReader reader(path);
  reader.setAutoTransform(true);
  const QImage read = reader.read();
  OwnPicture picture{.image = fittedPicture(read, width, height), .name = name, .problem = {}};
  if (read.isNull()) {
    picture.problem = u"Could not read %1 as a picture: %2. Use a JPEG, PNG or WebP file."_s.arg(
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
  const QString pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  auto* dialog =
      new QFileDialog(&parent,
                      u"Open a picture"_s,
                      // The dialog would take the name of a missing folder for that of a file.
                      QFileInfo(pictures).isDir() ? pictures : QDir::homePath(),
                      u"Pictures (*.png *.jpg *.jpeg *.jfif *.bmp *.gif *.webp *.ppm *.svg)"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
  dialog->open();
}

}  // namespace lambda
