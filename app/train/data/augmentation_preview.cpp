#include "app/train/data/augmentation_preview.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "engine/data/augmentation/augmentation.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kRows = 3;
constexpr int kEpochs = 8;
constexpr double kGap = 3;
constexpr double kGapAfterOriginal = 10;
constexpr double kLargestCell = 64;
constexpr double kCaptionGap = 4;

/// Planes [channels, height, width] as a picture; a single one is grey.
QImage pictureOf(const std::uint8_t* planes, int channels, int height, int width) {
  QImage image(width, height, QImage::Format_RGB888);
  const std::size_t plane = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* line = image.scanLine(y);
    for (int x = 0; x < width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
      for (std::size_t c = 0; c < 3; ++c)
        line[3 * x + static_cast<int>(c)] = planes[(channels >= 3 ? c * plane : 0) + at];
    }
  }
  return image;
}

}  // namespace

AugmentationPreview::AugmentationPreview(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  describeLines(*this, [this] {
    QStringList lines;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      lines << u"Image %1, as it is and as %2 epochs see it"_s.arg(row + 1).arg(rows_[row].size() -
                                                                                1);
    return lines;
  });
  setAccessibleName(u"Training images, each as it is and as eight epochs would see it"_s);
}

void AugmentationPreview::setSamples(std::shared_ptr<const SampleSet> samples) {
  samples_ = std::move(samples);
  first_ = 0;
  redraw();
}

void AugmentationPreview::setAugmentation(const AugmentationConfig& config, std::uint64_t seed) {
  if (config == config_ && seed == seed_) return;
  config_ = config;
  seed_ = seed;
  redraw();
}

void AugmentationPreview::setPlaceholder(const QString& text) {
  placeholder_ = text;
  update();
}

void AugmentationPreview::showNext() {
  if (!samples_ || samples_->images.count() == 0) return;
  first_ = (first_ + kRows) % samples_->images.count();
  redraw();
}

void AugmentationPreview::redraw() {
  rows_.clear();
  problem_.clear();
  draw();
  updateGeometry();
  update();
}

void AugmentationPreview::draw() {
  if (!samples_) return;
  problem_ = samples_->problem;
  const LabeledImages& images = samples_->images;
  if (images.count() == 0) return;
  try {
    const Augmenter augmenter(
        {images.channels, images.height, images.width}, config_, samples_->normalization, seed_);
    const std::size_t size =
        static_cast<std::size_t>(images.channels) * images.height * images.width;
    std::vector<std::uint8_t> drawn(size);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t index = (first_ + i) % images.count();
      const std::uint8_t* image = images.pixels.data() + index * size;
      std::vector<QImage> row{pictureOf(image, images.channels, images.height, images.width)};
      for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
        augmenter.preview(image, epoch, index, drawn.data());
        row.push_back(pictureOf(drawn.data(), images.channels, images.height, images.width));
      }
      rows_.push_back(std::move(row));
    }
  } catch (const std::exception& error) {
    rows_.clear();
    problem_ = QString::fromStdString(error.what());
  }
}

double AugmentationPreview::cellSide(double width) const {
  const double gaps = kGap * (kEpochs - 1) + kGapAfterOriginal;
  return std::clamp(std::floor((width - gaps) / (kEpochs + 1)), 8.0, kLargestCell);
}

int AugmentationPreview::heightForWidth(int width) const {
  const double caption = QFontMetricsF(smallFont()).height() + kCaptionGap;
  if (rows_.empty()) return static_cast<int>(std::ceil(2 * caption));
  return static_cast<int>(std::ceil(caption + kRows * (cellSide(width) + kGap)));
}

void AugmentationPreview::paintTo(QPainter& painter,
                                  const QSize& size,
                                  const Colors& colors) const {
  painter.setFont(smallFont());
  painter.setPen(problem_.isEmpty() ? colors.textSecondary : colors.error);
  if (rows_.empty()) {
    painter.drawText(QRectF(QPointF(), size),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     problem_.isEmpty() ? placeholder_ : problem_);
    return;
  }
  const double side = cellSide(size.width());
  const double caption = QFontMetricsF(smallFont()).height();
  const double samplesLeft = side + kGapAfterOriginal;
  const QFontMetricsF metrics(smallFont());
  const QString original = u"Image"_s;
  const QString seen = u"as eight epochs see it"_s;
  const double seenLeft =
      std::max(samplesLeft, metrics.horizontalAdvance(original) + metrics.horizontalAdvance(u' '));
  const double space = size.width() - seenLeft;
  painter.drawText(QRectF(0, 0, seenLeft, caption), Qt::AlignLeft | Qt::AlignVCenter, original);
  painter.drawText(QRectF(seenLeft, 0, space, caption),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(seen, Qt::ElideRight, space));
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  double top = caption + kCaptionGap;
  for (const std::vector<QImage>& row : rows_) {
    double left = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      painter.drawImage(QRectF(left, top, side, side), row[i]);
      left += side + (i == 0 ? kGapAfterOriginal : kGap);
    }
    top += side + kGap;
  }
}

void AugmentationPreview::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintTo(painter, size(), colorsOf(*this));
}

QString AugmentationPreview::exportName() const {
  return u"augmentation"_s;
}

QSize AugmentationPreview::exportSize() const {
  constexpr int kWidth = 620;
  return {kWidth, heightForWidth(kWidth)};
}

QString AugmentationPreview::toCsv() const {
  return {};
}

QSize AugmentationPreview::sizeHint() const {
  constexpr int kWidth = 340;
  return {kWidth, heightForWidth(kWidth)};
}

QSize AugmentationPreview::minimumSizeHint() const {
  constexpr int kWidth = 200;
  return {kWidth, heightForWidth(kWidth)};
}

}  // namespace lambda
