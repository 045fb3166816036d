#include "app/inspect/epochs/norm_strip.h"

#include <algorithm>

#include <QMouseEvent>
#include <QPainter>

#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kSide = 7;  // margin of a slider's handle at both ends

struct Series {
  QString name;
  double ProbeNorms::*value;
};

/// The embeddings begin as noise, whose norm hides what they learn: their change is drawn where it
/// is known.
std::array<Series, 3> seriesFor(const std::vector<ProbeNorms>& norms) {
  const bool hasChange =
      std::ranges::any_of(norms, [](const ProbeNorms& entry) { return entry.change > 0; });
  return {Series{NormStrip::tr("content λ"), &ProbeNorms::content},
          Series{NormStrip::tr("position λ"), &ProbeNorms::position},
          hasChange ? Series{NormStrip::tr("change of the embeddings"), &ProbeNorms::change}
                    : Series{NormStrip::tr("embeddings"), &ProbeNorms::embeddings}};
}

}  // namespace

NormStrip::NormStrip(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Sizes of lambdas and embeddings over the epochs"));
  setToolTip(tr("Norms over the epochs, each on its own scale"));
}

void NormStrip::setNorms(std::vector<ProbeNorms> norms) {
  norms_ = std::move(norms);
  update();
}

void NormStrip::setCurrent(int index) {
  current_ = index;
  update();
}

double NormStrip::placeOf(int index, double width) const {
  const int last = std::max(1, static_cast<int>(norms_.size()) - 1);
  return kSide + (width - 2 * kSide) * index / last;
}

void NormStrip::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  if (norms_.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(smallFont());
  const QFontMetricsF metrics(smallFont());
  const double top = metrics.height() + 2, height = size.height() - top - 3;
  double legend = kSide;
  std::size_t color = 0;
  for (const auto& [name, member] : seriesFor(norms_)) {
    const QColor ink = colors.series[color++];
    double most = 0;
    for (const ProbeNorms& norms : norms_) most = std::max(most, norms.*member);
    if (most <= 0) continue;
    QPolygonF line;
    for (std::size_t i = 0; i < norms_.size(); ++i) {
      line << QPointF(placeOf(static_cast<int>(i), size.width()),
                      top + height * (1 - norms_[i].*member / most));
    }
    painter.setPen(QPen(ink, 1.4));
    painter.drawPolyline(line);
    painter.setPen(ink);
    painter.drawText(QPointF(legend, metrics.ascent()), name);
    legend += metrics.horizontalAdvance(name) + 12;
  }
}

void NormStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  if (current_ >= 0 && current_ < static_cast<int>(norms_.size())) {
    painter.setPen(QPen(colors.textDisabled, 1));
    const double x = placeOf(current_, width());
    painter.drawLine(QPointF(x, 14), QPointF(x, height()));
  }
  paintTo(painter, size(), colors);
}

void NormStrip::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

void NormStrip::mousePressEvent(QMouseEvent* event) {
  chooseAt(event->position());
}

void NormStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) chooseAt(event->position());
}

void NormStrip::chooseAt(const QPointF& at) {
  if (norms_.empty()) return;
  const int last = static_cast<int>(norms_.size()) - 1;
  const double share = (at.x() - kSide) / std::max(1.0, width() - 2 * kSide);
  Q_EMIT chosen(std::clamp(qRound(share * last), 0, last));
}

QString NormStrip::exportName() const {
  return u"norms"_s;
}

QSize NormStrip::exportSize() const {
  return {640, 160};
}

QString NormStrip::toCsv() const {
  return norms_.empty() ? QString() : QString::fromStdString(csvOf(norms_));
}

QSize NormStrip::sizeHint() const {
  return {320, static_cast<int>(44 * textScale())};
}

}  // namespace lambda
