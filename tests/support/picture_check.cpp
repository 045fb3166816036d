#include "tests/support/picture_check.h"

#include <cstdlib>

namespace lambda::test {

namespace {

constexpr int kShrink = 4;
constexpr double kAllowed = 6;

QImage shrunk(const QImage& image) {
  return image.convertToFormat(QImage::Format_RGB888)
      .scaled(image.width() / kShrink,
              image.height() / kShrink,
              Qt::IgnoreAspectRatio,
              Qt::SmoothTransformation);
}

double meanDifference(const QImage& a, const QImage& b) {
  qint64 sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    const uchar* left = a.constScanLine(y);
    const uchar* right = b.constScanLine(y);
    for (int i = 0; i < 3 * a.width(); ++i) sum += std::abs(int{left[i]} - int{right[i]});
  }
  return static_cast<double>(sum) / (3.0 * a.width() * a.height());
}

}  // namespace

double distanceBetween(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 255;
  return meanDifference(shrunk(a), shrunk(b));
}

QString differenceFromKept(const QImage& picture, const QString& name) {
  const QString path = QStringLiteral(LAMBDA_PAGE_PICTURES "/") + name + QStringLiteral(".png");
  const QImage small = shrunk(picture);
  if (qEnvironmentVariableIsSet("LAMBDA_WRITE_PICTURES")) {
    return small.save(path) ? QString() : QStringLiteral("%1 can't be written").arg(path);
  }
  const QImage kept = QImage(path).convertToFormat(QImage::Format_RGB888);
  if (kept.isNull())
    return QStringLiteral("%1 is missing; set LAMBDA_WRITE_PICTURES to write it").arg(path);
  if (kept.size() != small.size()) return QStringLiteral("%1 has another size").arg(path);
  const double distance = meanDifference(small, kept);
  if (distance <= kAllowed) return {};
  return QStringLiteral(
             "%1 differs by %2 of 255 on average; compare both, and set LAMBDA_WRITE_PICTURES if "
             "it is meant")
      .arg(path)
      .arg(distance);
}

}  // namespace lambda::test
