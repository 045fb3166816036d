#include "app/inspect/choosers/layer_list.h"

#include <algorithm>

#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>

#include "engine/values/inspection/colormap.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kPictureRole = Qt::UserRole;
constexpr int kSummaryRole = Qt::UserRole + 1;
constexpr int kPictureWidth = 40;
constexpr int kPictureHeight = 32;
constexpr int kLeastPicture = 16;  // narrower ones show nothing

void paintPicture(QPainter& painter,
                  const QRect& place,
                  const QImage& image,
                  const Colors& colors) {
  if (image.isNull()) {
    painter.setFont(smallFont());
    painter.setPen(colors.textDisabled);
    painter.drawText(place, Qt::AlignCenter, u"…"_s);
  } else {
    painter.drawImage(place, image);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(colors.hairline);
  painter.drawRect(place.adjusted(0, 0, -1, -1));
}

class LayerDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex&) const override {
    const int lines = QFontMetrics(bodyFont()).height() + QFontMetrics(smallFont()).height();
    return {kPictureWidth, std::max(kPictureHeight, lines) + 2 * spacing::kGap};
  }

  void paint(QPainter* painter,
             const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Colors& colors = colorsOf(*option.widget);
    painter->save();
    const QRect area = option.rect.adjusted(4, 1, -4, -1);
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    if (isSelected || option.state.testFlag(QStyle::State_MouseOver)) {
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      painter->setBrush(isSelected ? colors.accentSoft : colors.hover);
      painter->drawRoundedRect(area, 6, 6);
    }
    painter->setRenderHint(QPainter::Antialiasing, false);
    const QFontMetrics name(bodyFont()), summary(smallFont());
    // A name that is cut short could be any layer's, so that the picture gives up its space first.
    const int texts = std::max(name.horizontalAdvance(index.data().toString()),
                               summary.horizontalAdvance(index.data(kSummaryRole).toString()));
    const int spare = area.width() - 3 * spacing::kGap - texts;
    const int pictureWidth = std::min(kPictureWidth, spare);
    int left = area.left() + spacing::kGap;
    if (pictureWidth >= kLeastPicture) {
      paintPicture(
          *painter,
          QRect(left, area.center().y() - kPictureHeight / 2, pictureWidth, kPictureHeight),
          index.data(kPictureRole).value<QImage>(),
          colors);
      left += pictureWidth + spacing::kGap;
    }
    const int width = area.right() - left - 4;
    const int top = area.center().y() - (name.height() + summary.height()) / 2;
    painter->setFont(bodyFont());
    painter->setPen(colors.text);
    painter->drawText(QRect(left, top, width, name.height()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      name.elidedText(index.data().toString(), Qt::ElideMiddle, width));
    painter->setFont(smallFont());
    painter->setPen(colors.textSecondary);
    painter->drawText(
        QRect(left, top + name.height(), width, summary.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        summary.elidedText(index.data(kSummaryRole).toString(), Qt::ElideMiddle, width));
    painter->restore();
  }
};

/// One pixel per entry of the lambda.
QImage pictureOf(const Array& lambda) {
  if (lambda.shape.size() != 2 || lambda.empty()) return {};
  const ColorRange range = rangeOf(ColorMap::diverging, lambda.values);
  const auto rows = static_cast<int>(lambda.shape[0]), columns = static_cast<int>(lambda.shape[1]);
  QImage image(columns, rows, QImage::Format_RGB32);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto at = static_cast<std::size_t>(row) * columns + column;
      const Rgb color = colorOf(ColorMap::diverging, range, lambda.values[at]);
      image.setPixel(column, row, qRgb(color[0], color[1], color[2]));
    }
  }
  return image;
}

QString toolTipOf(const InspectableLayer& layer) {
  const QString place =
      u"%1\n%2×%3 positions"_s.arg(layerTitle(layer.name)).arg(layer.height).arg(layer.width);
  if (inspectedAs(layer) != InspectedAs::lambdas) {
    return place +
           u", %1, h = %2"_s.arg(QString::fromUtf8(kMixerTraits[layer.kind].name)).arg(layer.heads);
  }
  const QString heads =
      QString::number(layer.heads) + (layer.lambdas > 1 ? u" (multi-head)"_s : u""_s);
  return place + u", k = %1, h = %2, u = %3, v = %4"_s.arg(layer.queryDepth)
                     .arg(heads)
                     .arg(layer.intraDepth)
                     .arg(layer.valueDepth);
}

}  // namespace

QString layerTitle(const std::string& name) {
  const QString text = QString::fromStdString(name);
  return text.endsWith(u".mixer"_s) ? text.chopped(6) : text;
}

QString layerSummary(const InspectableLayer& layer) {
  // All layers of a sequence have one row of its tokens.
  const QString size =
      layer.height == 1 ? QString() : u"%1×%2 · "_s.arg(layer.height).arg(layer.width);
  if (inspectedAs(layer) != InspectedAs::lambdas) {
    return size + QString::fromUtf8(kMixerTraits[layer.kind].name);
  }
  const QString scope = layer.scope > 0 ? u" r%1"_s.arg(layer.scope) : QString();
  return u"%1k%2 h%3 u%4%5"_s.arg(size)
      .arg(layer.queryDepth)
      .arg(layer.heads)
      .arg(layer.intraDepth)
      .arg(scope);
}

LayerList::LayerList(QWidget* parent) : QListWidget(parent) {
  setItemDelegate(new LayerDelegate(this));
  setFrameShape(QFrame::NoFrame);
  setStyleSheet(u"QListWidget { background: transparent; border: none; }"_s);
  setMouseTracking(true);
  setUniformItemSizes(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(u"Layers"_s);
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row < 0 || row >= static_cast<int>(layers_.size())) return;
    Q_EMIT layerChosen(layers_[static_cast<std::size_t>(row)].name);
  });
}

void LayerList::setLayers(const std::vector<InspectableLayer>& layers) {
  if (layers == layers_) return;
  const std::string current = currentLayer();
  layers_ = layers;
  fill();
  setCurrentLayer(current);
}

void LayerList::fill() {
  const QSignalBlocker blocker(this);
  clear();
  for (const InspectableLayer& layer : layers_) {
    auto* item = new QListWidgetItem(layerTitle(layer.name), this);
    item->setData(kSummaryRole, layerSummary(layer));
    item->setData(Qt::AccessibleTextRole, layerTitle(layer.name) + u", "_s + layerSummary(layer));
    item->setToolTip(toolTipOf(layer));
    const auto picture = pictures_.find(layer.name);
    if (picture != pictures_.end()) item->setData(kPictureRole, picture->second);
  }
}

void LayerList::setCurrentLayer(const std::string& name) {
  const QSignalBlocker blocker(this);
  const auto found = std::find_if(
      layers_.begin(), layers_.end(), [&](const auto& layer) { return layer.name == name; });
  setCurrentRow(found == layers_.end() ? -1 : static_cast<int>(found - layers_.begin()));
}

std::string LayerList::currentLayer() const {
  const int row = currentRow();
  return row < 0 || row >= static_cast<int>(layers_.size())
             ? std::string()
             : layers_[static_cast<std::size_t>(row)].name;
}

void LayerList::setLambda(const std::string& layer, const Array& lambda) {
  const QImage picture = pictureOf(lambda);
  pictures_[layer] = picture;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].name == layer) item(static_cast<int>(i))->setData(kPictureRole, picture);
  }
}

void LayerList::clearLambdas() {
  pictures_.clear();
  const std::string current = currentLayer();
  fill();
  setCurrentLayer(current);
}

void LayerList::step(int by) {
  if (count() == 0) return;
  setCurrentRow(std::clamp(currentRow() + by, 0, count() - 1));
}

QSize LayerList::sizeHint() const {
  return {static_cast<int>(200 * textScale()), 320};
}

}  // namespace lambda
