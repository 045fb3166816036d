#include "app/inspect/epochs/norm_strip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QMouseEvent>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

struct NormSeries {
  QString name;
  double ProbeNorms::*value;
};

/// The embeddings begin as noise, whose norm hides what they learn: their change is drawn where it
/// is known.
std::array<NormSeries, 3> seriesFor(const std::vector<ProbeNorms>& norms) {
  const bool hasChange =
      std::ranges::any_of(norms, [](const ProbeNorms& entry) { return entry.change > 0; });
  return {NormSeries{u"content λ"_s, &ProbeNorms::content},
          NormSeries{u"position λ"_s, &ProbeNorms::position},
          hasChange ? NormSeries{u"change of the embeddings"_s, &ProbeNorms::change}
                    : NormSeries{u"embeddings"_s, &ProbeNorms::embeddings}};
}

}  // namespace

NormStrip::NormStrip(QWidget* parent) : LinePlot(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(u"Norms of lambdas and embeddings over the epochs"_s);
  setExportName(u"norms"_s);
  setExportCaption(accessibleName());
  setAxes({u"Epoch"_s, ValueUnit::count}, {u"Norm, share of its greatest"_s, ValueUnit::percent});
}

void NormStrip::setNorms(std::vector<ProbeNorms> norms) {
  norms_ = std::move(norms);
  std::vector<PlotLine> lines;
  QStringList words;
  for (const auto& [name, member] : seriesFor(norms_)) {
    PlotLine line{.colorIndex = static_cast<int>(lines.size())};
    double most = 0;
    for (const ProbeNorms& entry : norms_) most = std::max(most, entry.*member);
    if (most > 0) {
      line.name = u"%1, at most %2"_s.arg(name, numberText(most));
      words << line.name;
      for (const ProbeNorms& entry : norms_)
        line.points.emplace_back(entry.epoch, entry.*member / most);
    }
    lines.push_back(std::move(line));
  }
  setAccessibleDescription(words.join(u"; "_s));
  const double first = norms_.empty() ? 0 : norms_.front().epoch;
  const double last = norms_.empty() ? 1 : norms_.back().epoch;
  setLines(std::move(lines), first, std::max(last, first + 1));
  updateGeometry();
}

void NormStrip::setCurrent(int index) {
  const bool isKnown = index >= 0 && index < static_cast<int>(norms_.size());
  setMark(isKnown ? std::optional<double>(norms_[static_cast<std::size_t>(index)].epoch)
                  : std::nullopt);
}

QString NormStrip::placeAt(double x) const {
  return u"Epoch %1"_s.arg(countText(std::lround(x)));
}

QString NormStrip::valueAt(std::size_t line, std::size_t point) const {
  return numberText(norms_[point].*seriesFor(norms_)[line].value);
}

void NormStrip::mousePressEvent(QMouseEvent* event) {
  chooseAt(event->position());
}

void NormStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) chooseAt(event->position());
  LinePlot::mouseMoveEvent(event);
}

void NormStrip::chooseAt(const QPointF& pixel) {
  if (norms_.empty()) return;
  const double epoch = fromPixels(pixel).x();
  const auto nearest = std::ranges::min_element(
      norms_, {}, [epoch](const ProbeNorms& entry) { return std::abs(entry.epoch - epoch); });
  Q_EMIT chosen(static_cast<int>(nearest - norms_.begin()));
}

QString NormStrip::toCsv() const {
  return norms_.empty() ? QString() : QString::fromStdString(csvOf(norms_));
}

QSize NormStrip::sizeHint() const {
  return {320, static_cast<int>(113 * textScale()) + furtherLegendHeight(width())};
}

void NormStrip::resizeEvent(QResizeEvent* event) {
  LinePlot::resizeEvent(event);
  updateGeometry();  // A narrow strip has more rows of names.
}

}  // namespace lambda
