#include "tests/support/picture_check.h"

#include <algorithm>
#include <cstdlib>

#include <QApplication>
#include <QDir>
#include <QFont>
#include <QPainter>

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kShrink = 4;
constexpr double kAllowed = 6;

/// The side of a part of a picture, in pixels: about four letters.
constexpr int kPart = 24;
/// One changed letter in a part changes it by more than this.
constexpr double kAllowedInPart = 0.5;

QImage shrunk(const QImage& image) {
  return image.convertToFormat(QImage::Format_RGB888)
      .scaled(image.width() / kShrink,
              image.height() / kShrink,
              Qt::IgnoreAspectRatio,
              Qt::SmoothTransformation);
}

double meanDifference(const QImage& a, const QImage& b, QRect part) {
  qint64 sum = 0;
  for (int y = part.top(); y <= part.bottom(); ++y) {
    const uchar* left = a.constScanLine(y);
    const uchar* right = b.constScanLine(y);
    for (int i = 3 * part.left(); i < 3 * (part.right() + 1); ++i) {
      sum += std::abs(int{left[i]} - int{right[i]});
    }
  }
  return static_cast<double>(sum) / (3.0 * part.width() * part.height());
}

/// The rectangle around all parts that differ; empty if there is none.
QRect differentParts(const QImage& a, const QImage& b) {
  QRect different;
  for (int y = 0; y < a.height(); y += kPart) {
    for (int x = 0; x < a.width(); x += kPart) {
      const QRect part = QRect(x, y, kPart, kPart) & a.rect();
      if (meanDifference(a, b, part) > kAllowedInPart) different |= part;
    }
  }
  return different;
}

QString pathOf(const QString& name) {
  return QStringLiteral(LAMBDA_PAGE_PICTURES "/%1.png").arg(name);
}

QImage kept(const QString& name) {
  return QImage(pathOf(name)).convertToFormat(QImage::Format_RGB888);
}

/// A line of letters, as this machine draws them.
QImage letters() {
  QImage image(520, 40, QImage::Format_RGB888);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setFont(QApplication::font());
  painter.drawText(image.rect(), Qt::AlignCenter, u"The quick brown fox: 0123456789 λ × %"_s);
  return image;
}

bool drawsLettersAsKept() {
  static const bool isAlike = letters() == kept(u"letters"_s);
  return isAlike;
}

bool isWriting() {
  return qEnvironmentVariableIsSet("LAMBDA_WRITE_PICTURES");
}

QString write(const QImage& picture, const QString& name) {
  const bool isWritten = picture.save(pathOf(name)) && letters().save(pathOf(u"letters"_s));
  return isWritten ? QString() : u"%1 can't be written"_s.arg(pathOf(name));
}

}  // namespace

double distanceBetween(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 255;
  const QImage small = shrunk(a);
  return meanDifference(small, shrunk(b), small.rect());
}

QString differenceFromKept(const QImage& picture, const QString& name) {
  const QImage shown = picture.convertToFormat(QImage::Format_RGB888);
  if (isWriting()) return write(shown, name);
  const QImage expected = kept(name);
  if (expected.isNull())
    return u"%1 is missing; set LAMBDA_WRITE_PICTURES to write it"_s.arg(pathOf(name));
  if (expected.size() != shown.size()) return u"%1 has another size"_s.arg(pathOf(name));
  QString difference;
  if (drawsLettersAsKept()) {
    const QRect parts = differentParts(shown, expected);
    if (parts.isEmpty()) return {};
    difference = u"in %1 x %2 pixels at (%3, %4)"_s.arg(parts.width())
                     .arg(parts.height())
                     .arg(parts.x())
                     .arg(parts.y());
  } else {
    const double distance = distanceBetween(shown, expected);
    if (distance <= kAllowed) return {};
    difference = u"by %1 of 255 on average"_s.arg(distance);
  }
  const QString seen = QDir::temp().filePath(u"lambda-page-%1.png"_s.arg(name));
  shown.save(seen);
  return u"%1 differs from %2 %3; look at both, and set LAMBDA_WRITE_PICTURES if it is meant"_s.arg(
      seen, pathOf(name), difference);
}

}  // namespace lambda::test
