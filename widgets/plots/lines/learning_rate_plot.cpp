#include "widgets/plots/lines/learning_rate_plot.h"

#include <algorithm>

#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

LearningRatePlot::LearningRatePlot(QWidget* parent) : LinePlot(parent) {
  setAccessibleName(u"Learning rate over the run"_s);
  setExportName(u"learning-rate"_s);
  setExportCaption(accessibleName());
  setAxes({u"Epoch"_s, ValueUnit::count}, {u"Learning rate"_s});
}

void LearningRatePlot::setCurve(const std::vector<std::pair<double, double>>& curve, int epochs) {
  PlotLine line{.filled = true};
  double peak = 0;
  for (const auto& [epoch, rate] : curve) {
    line.points.emplace_back(epoch, rate);
    peak = std::max(peak, rate);
  }
  const int length = std::max(epochs, 1);
  if (!curve.empty()) {
    setAccessibleDescription(u"From %1 over at most %2 to %3 in %4 epochs"_s
                                 .arg(roundedText(curve.front().second),
                                      roundedText(peak),
                                      roundedText(curve.back().second))
                                 .arg(length));
  }
  setLines({std::move(line)}, 0, length);
}

void LearningRatePlot::setPosition(double epoch) {
  setMark(epoch < 0 ? std::nullopt : std::optional(epoch));
}

QString LearningRatePlot::placeAt(double x) const {
  return u"Epoch %1"_s.arg(fixedText(x, 1));
}

QString LearningRatePlot::valueAt(std::size_t line, std::size_t point) const {
  return roundedText(lines()[line].points[point].y());
}

QString LearningRatePlot::toCsv() const {
  if (!hasPoints()) return {};
  std::string text = "epoch,learning rate\n";
  for (const QPointF& point : lines().front().points) {
    text += formatNumber(point.x()) + ',' + formatNumber(point.y()) + '\n';
  }
  return QString::fromStdString(text);
}

QSize LearningRatePlot::sizeHint() const {
  return {280, qRound(104 * textScale())};
}

QSize LearningRatePlot::minimumSizeHint() const {
  return {160, qRound(80 * textScale())};
}

}  // namespace lambda
