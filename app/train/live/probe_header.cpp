#include "app/train/live/probe_header.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/pictures/images/image_conversion.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSide = 56;
constexpr int kMostImages = 100'000;

QString className(const InspectionSnapshot& snapshot, int label) {
  if (label < 0) return u"unknown"_s;
  if (label >= static_cast<int>(snapshot.classNames.size())) return QString::number(label);
  return QString::fromStdString(snapshot.classNames[static_cast<std::size_t>(label)]);
}

QString wordsOf(const InspectionSnapshot& snapshot) {
  if (!snapshot.numbers.empty()) return numbersText(snapshot.numbers);
  const QString truth = className(snapshot, snapshot.label);
  const auto predicted = static_cast<std::size_t>(snapshot.predicted);
  if (predicted >= snapshot.probabilities.size()) return truth;
  const double share = static_cast<double>(snapshot.probabilities[predicted]);
  return u"%1, predicted as %2 (%3)"_s.arg(
      truth, className(snapshot, snapshot.predicted), percentText(share));
}

}  // namespace

ProbeHeader::ProbeHeader(QWidget* parent)
    : QWidget(parent),
      picture_(new QLabel(this)),
      when_(new QLabel(this)),
      words_(new ElidedLabel(this)),
      newest_(new QToolButton(this)),
      layer_(new QComboBox(this)),
      image_(new QSpinBox(this)) {
  picture_->setFixedSize(kSide, kSide);
  picture_->setAccessibleName(u"Probe image"_s);
  when_->setObjectName(u"when"_s);
  QFont font = numberFont();
  font.setWeight(QFont::DemiBold);
  when_->setFont(font);
  words_->setProperty(kRole, u"secondary"_s);
  newest_->setText(u"Back to live"_s);
  newest_->setProperty(kRole, u"quiet"_s);
  newest_->hide();
  layer_->setAccessibleName(u"Lambda layer to inspect"_s);
  layer_->setToolTip(u"The lambda layer to inspect"_s);
  layer_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  image_->setRange(0, kMostImages);
  image_->setPrefix(u"Image "_s);
  image_->setAccessibleName(u"Number of the probe image"_s);
  image_->setToolTip(u"The validation image for the inspection"_s);
  image_->setKeyboardTracking(false);

  auto* above = new QHBoxLayout;
  above->setSpacing(spacing::kGap);
  above->addWidget(when_);
  above->addWidget(words_, 1);
  above->addWidget(newest_);
  auto* below = new QHBoxLayout;
  below->setSpacing(spacing::kGap);
  below->addWidget(layer_, 1);
  below->addWidget(image_);
  auto* column = new QVBoxLayout;
  column->setSpacing(spacing::kTight);
  column->addLayout(above);
  column->addLayout(below);
  auto* row = makeBareLayout<QHBoxLayout>(this, spacing::kGap);
  row->addWidget(picture_);
  row->addLayout(column, 1);
  connect(layer_, &QComboBox::currentIndexChanged, this, &ProbeHeader::targetChosen);
  connect(image_, &QSpinBox::valueChanged, this, &ProbeHeader::targetChosen);
  connect(newest_, &QToolButton::clicked, this, &ProbeHeader::newestRequested);
}

void ProbeHeader::setLayers(const std::vector<InspectableLayer>& layers) {
  const QSignalBlocker blocker(layer_);
  const QString before = layer_->currentText();
  layer_->clear();
  for (const InspectableLayer& layer : layers) layer_->addItem(QString::fromStdString(layer.name));
  // The last layer is nearest to the prediction.
  const int same = layer_->findText(before);
  layer_->setCurrentIndex(same >= 0 ? same : layer_->count() - 1);
  layer_->setEnabled(!layers.empty());
  image_->setEnabled(!layers.empty());
}

std::string ProbeHeader::layer() const {
  return layer_->currentText().toStdString();
}

int ProbeHeader::image() const {
  return image_->value();
}

void ProbeHeader::setWhen(const QString& text, bool isPast) {
  when_->setText(text);
  newest_->setVisible(isPast);
}

void ProbeHeader::setProbe(const InspectionSnapshot* snapshot) {
  if (!snapshot) {
    picture_->clear();
    words_->setText({});
    return;
  }
  const double ratio = devicePixelRatioF();
  QPixmap pixmap =
      QPixmap::fromImage(toQImage(snapshot->image).scaled(QSize(kSide, kSide) * ratio));
  pixmap.setDevicePixelRatio(ratio);
  picture_->setPixmap(pixmap);
  words_->setText(wordsOf(*snapshot));
}

}  // namespace lambda
