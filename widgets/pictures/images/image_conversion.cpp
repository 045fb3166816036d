#include "widgets/pictures/images/image_conversion.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

namespace lambda {

QImage toQImage(const Image& image) {
  if (image.width <= 0 || image.height <= 0) return {};
  QImage result(image.width, image.height, QImage::Format_RGB32);
  const std::uint8_t* pixel = image.rgb.data();
  for (int y = 0; y < image.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(result.scanLine(y));
    for (int x = 0; x < image.width; ++x, pixel += 3) {
      line[x] = qRgb(pixel[0], pixel[1], pixel[2]);
    }
  }
  return result;
}

Image imageAt(const LabeledImages& images, std::size_t index) {
  if (index >= images.count()) return {};
  Image image{.width = images.width, .height = images.height, .rgb = {}};
  const auto plane = static_cast<std::size_t>(images.width) * images.height;
  const std::uint8_t* pixels = images.pixels.data() + index * plane * images.channels;
  image.rgb.resize(3 * plane);
  for (std::size_t position = 0; position < plane; ++position) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const std::size_t source = images.channels >= 3 ? channel : 0;
      image.rgb[3 * position + channel] = pixels[source * plane + position];
    }
  }
  return image;
}

QImage thumbnailAt(const LabeledImages& images, std::size_t index) {
  if (index >= images.count()) return {};
  const auto plane = static_cast<std::size_t>(images.width) * images.height;
  const std::uint8_t* red = images.pixels.data() + index * plane * images.channels;
  const std::size_t step = images.channels >= 3 ? plane : 0;
  QImage result(images.width, images.height, QImage::Format_RGB32);
  for (int y = 0; y < images.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(result.scanLine(y));
    for (int x = 0; x < images.width; ++x, ++red) {
      line[x] = qRgb(red[0], red[step], red[2 * step]);
    }
  }
  return result;
}

Image fittedPicture(const QImage& picture, int width, int height) {
  if (picture.isNull() || width <= 0 || height <= 0) return {};
  const double share = std::min(static_cast<double>(picture.width()) / width,
                                static_cast<double>(picture.height()) / height);
  const int cutWidth = std::clamp(static_cast<int>(std::lround(share * width)), 1, picture.width());
  const int cutHeight =
      std::clamp(static_cast<int>(std::lround(share * height)), 1, picture.height());
  const QImage cut = picture.copy(
      (picture.width() - cutWidth) / 2, (picture.height() - cutHeight) / 2, cutWidth, cutHeight);
  QImage opaque(cut.size(), QImage::Format_RGB32);
  opaque.fill(Qt::white);
  QPainter painter(&opaque);
  painter.drawImage(0, 0, cut);
  painter.end();
  const QImage scaled =
      opaque.scaled(width, height, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
          .convertToFormat(QImage::Format_RGB32);
  Image image{.width = width, .height = height, .rgb = {}};
  image.rgb.reserve(static_cast<std::size_t>(width) * height * 3);
  for (int y = 0; y < height; ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(scaled.constScanLine(y));
    for (int x = 0; x < width; ++x) {
      image.rgb.push_back(static_cast<std::uint8_t>(qRed(line[x])));
      image.rgb.push_back(static_cast<std::uint8_t>(qGreen(line[x])));
      image.rgb.push_back(static_cast<std::uint8_t>(qBlue(line[x])));
    }
  }
  return image;
}

}  // namespace lambda
