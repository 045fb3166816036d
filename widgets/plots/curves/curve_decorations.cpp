#include "widgets/plots/curves/curve_decorations.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <QFontMetricsF>

#include "widgets/plots/curves/curve_scene.h"
#include "widgets/plots/curves/end_labels.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kMarkReach = 5;  // The greatest distance in pixels from the pointer to a mark.
constexpr double kTitleGap = 16;
constexpr double kSwatch = 10;

QColor textColor(const CurveScene& scene, const CurveScene::Series& series) {
  QColor color = scene.colorOf(series);
  // Text needs more contrast than a line.
  const Colors& colors = scene.colors();
  color = colors.dark ? color.lighter(112) : color.darker(118);
  if (series.dim) color.setAlphaF(0.4f);
  return color;
}

/// NaN lies at the top, like infinity: a loss that diverges ends as NaN.
bool isAtBottom(double value) {
  return std::isinf(value) && value < 0;
}

class Decorations : public QCPLayerable {
 public:
  Decorations(QCustomPlot& plot, const CurveScene& scene)
      : QCPLayerable(&plot, u"legend"_s), scene_(scene) {}

 protected:
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override {
    painter->setAntialiasing(true);
  }

  void draw(QCPPainter* painter) override {
    for (int panel = 0; panel < static_cast<int>(scene_.panels().size()); ++panel) {
      const std::vector<EndLabel> labels = endLabels(scene_, panel);
      const double titleEnd = drawTitle(*painter, panel);
      drawNotes(*painter, panel);
      if (labels.empty()) {
        drawNames(*painter, panel, titleEnd);
      } else {
        drawEndLabels(*painter, labels);
      }
      drawNotFinite(*painter, panel);
    }
    drawMarks(*painter);
  }

 private:
  QRectF titleRow(int panel) const {
    const QRect rect = scene_.panelRect(panel);
    const double height = 18 * textScale();
    const double lane = panel == 0 ? CurveScene::kMarkLane : 0;
    return {rect.left() + 0.0, rect.top() - lane - height - 4, rect.width() + 0.0, height};
  }

  double drawTitle(QCPPainter& painter, int panel) const {
    QFont font = bodyFont();
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(scene_.colors().text);
    const CurveScene::Panel& shown = scene_.panels()[static_cast<std::size_t>(panel)];
    const QRectF row = titleRow(panel);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, shown.options.title);
    double end = row.left() + QFontMetricsF(font).horizontalAdvance(shown.options.title);
    if (shown.logarithmic) {
      painter.setFont(smallFont());
      painter.setPen(scene_.colors().textSecondary);
      const QString note = u"logarithmic"_s;
      painter.drawText(
          row.adjusted(end - row.left() + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, note);
      end += 8 + QFontMetricsF(smallFont()).horizontalAdvance(note);
    }
    return end;
  }

  /// Counts of values that the lines can't show, as text at the right.
  void drawNotes(QCPPainter& painter, int panel) const {
    std::size_t notFinite = 0;
    std::size_t notPositive = 0;
    for (const CurveScene::Series& series : scene_.series()) {
      if (series.options.panel != panel) continue;
      notFinite += series.history.notFinite().size();
      if (!scene_.panels()[static_cast<std::size_t>(panel)].logarithmic) continue;
      notPositive += static_cast<std::size_t>(
          std::ranges::count_if(series.history.samples().y, [](double y) { return y <= 0; }));
    }
    QStringList notes;
    if (notFinite > 0) notes << u"%1 × NaN or infinite"_s.arg(notFinite);
    if (notPositive > 0) notes << u"%1 × 0 or below, not shown"_s.arg(notPositive);
    if (notes.isEmpty()) return;
    painter.setFont(smallFont());
    painter.setPen(scene_.colors().error);
    painter.drawText(titleRow(panel), Qt::AlignRight | Qt::AlignVCenter, notes.join(u" · "_s));
  }

  void drawNames(QCPPainter& painter, int panel, double from) const {
    const QRectF row = titleRow(panel);
    const QFontMetricsF metrics(smallFont());
    painter.setFont(smallFont());
    double left = from + kTitleGap;
    int leftOut = 0;
    for (const LineName& name : lineNames(scene_, panel)) {
      const CurveScene::Series& series = *name.series;
      const QString text = metrics.elidedText(name.text, Qt::ElideRight, widestName());
      const double width = kSwatch + 4 + metrics.horizontalAdvance(text);
      if (leftOut > 0 || left + width > row.right() - 40) {
        ++leftOut;
        continue;
      }
      QPen pen(scene_.colorOf(series), 2, series.options.penStyle);
      painter.setPen(pen);
      painter.drawLine(QPointF(left, row.center().y()), QPointF(left + kSwatch, row.center().y()));
      painter.setPen(textColor(scene_, series));
      painter.drawText(QRectF(left + kSwatch + 4, row.top(), width, row.height()),
                       Qt::AlignLeft | Qt::AlignVCenter,
                       text);
      left += width + 12;
    }
    if (leftOut == 0) return;
    painter.setPen(scene_.colors().textSecondary);
    painter.drawText(QRectF(left, row.top(), 40, row.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     u"+%1"_s.arg(leftOut));
  }

  void drawEndLabels(QCPPainter& painter, const std::vector<EndLabel>& labels) const {
    painter.setFont(smallFont());
    const QFontMetricsF metrics(smallFont());
    for (const EndLabel& label : labels) {
      if (label.isMoved) {
        painter.setPen(QPen(scene_.colors().textDisabled, 1));
        painter.drawLine(label.end, QPointF(label.rect.left() - 2, label.rect.center().y()));
      }
      painter.setPen(textColor(scene_, *label.series));
      painter.drawText(label.rect,
                       Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(label.text, Qt::ElideRight, widestName()));
    }
  }

  void drawNotFinite(QCPPainter& painter, int panel) const {
    const QRect rect = scene_.panelRect(panel);
    painter.setPen(QPen(scene_.colors().error, 1.6, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    std::set<std::pair<int, bool>> drawn;  // One cross per pixel is enough.
    for (const CurveScene::Series& series : scene_.series()) {
      if (series.options.panel != panel) continue;
      const std::span<const double> x = series.history.x(scene_.axis());
      for (const std::size_t index : series.history.notFinite()) {
        if (index >= x.size()) break;
        const double pixel = scene_.xPixel(x[index]);
        if (pixel < rect.left() || pixel > rect.right() + 1) continue;
        const bool bottom = isAtBottom(series.history.samples().y[index]);
        if (!drawn.emplace(qRound(pixel / 2), bottom).second) continue;
        const double y = bottom ? rect.bottom() - 5.0 : rect.top() + 5.0;
        painter.drawLine(QPointF(pixel - 3, y - 3), QPointF(pixel + 3, y + 3));
        painter.drawLine(QPointF(pixel - 3, y + 3), QPointF(pixel + 3, y - 3));
      }
    }
  }

  void drawMarks(QCPPainter& painter) const {
    const QRect rect = scene_.panelRect(0);
    const auto panels = static_cast<int>(scene_.panels().size());
    double lastPixel[] = {-100, -100, -100, -100, -100};
    std::vector<double> rowEnds;  // Of the texts of changes, from the top.
    for (const CurveMark& mark : scene_.marks()) {
      const double x = scene_.xPixel(scene_.placeOf(mark));
      if (x < rect.left() - 0.5 || x > rect.right() + 1.5) continue;
      double& previous = lastPixel[static_cast<int>(mark.kind)];
      if (std::abs(x - previous) < 3) continue;
      previous = x;
      drawMark(painter, mark.kind, {x, rect.top() - CurveScene::kMarkLane / 2.0});
      const bool isChange = mark.kind == CurveMarkKind::changed;
      if (mark.kind != CurveMarkKind::resumed && !isChange) continue;
      painter.setPen(isChange ? QPen(scene_.colors().accent, 1, Qt::DashLine)
                              : QPen(scene_.colors().textDisabled, 1, Qt::DotLine));
      for (int panel = 0; panel < panels; ++panel) {
        const QRect lined = scene_.panelRect(panel);
        painter.drawLine(QPointF(x, lined.top()), QPointF(x, lined.bottom()));
      }
      if (isChange) drawChange(painter, mark.text, x, rowEnds);
    }
  }

  /// The text of a change beside its line, in the first row where it covers no other text.
  void drawChange(QCPPainter& painter,
                  const QString& text,
                  double x,
                  std::vector<double>& rowEnds) const {
    constexpr double kGapToLine = 4;
    const QRect rect = scene_.panelRect(0);
    const QFontMetricsF metrics(smallFont());
    const double width = std::min(metrics.horizontalAdvance(text), rect.width() - 2 * kGapToLine);
    double left = x + kGapToLine;
    if (left + width > rect.right()) {
      left = std::max(x - kGapToLine - width, rect.left() + kGapToLine);
    }
    auto row = std::ranges::find_if(rowEnds, [left](double end) { return end <= left; });
    const auto index = static_cast<double>(row - rowEnds.begin());
    const double top = rect.top() + 2 + index * metrics.height();
    if (top + metrics.height() > rect.bottom()) return;  // Its tooltip still tells it.
    if (row == rowEnds.end()) row = rowEnds.insert(row, 0);
    *row = left + width + 2 * kGapToLine;
    painter.setFont(smallFont());
    painter.setPen(scene_.colors().textSecondary);
    painter.drawText(QRectF(left, top, width, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, width));
  }

  void drawMark(QCPPainter& painter, CurveMarkKind kind, const QPointF& at) const {
    const Colors& colors = scene_.colors();
    painter.setPen(Qt::NoPen);
    switch (kind) {
      case CurveMarkKind::checkpoint:
        painter.setBrush(colors.textDisabled);
        painter.drawEllipse(at, 1.8, 1.8);
        break;
      case CurveMarkKind::learningRate:
        painter.setBrush(colors.accent);
        painter.drawPolygon(
            QPolygonF({at + QPointF(-3.5, -2.5), at + QPointF(3.5, -2.5), at + QPointF(0, 3.5)}));
        break;
      case CurveMarkKind::resumed:
        painter.setBrush(colors.textSecondary);
        painter.drawPolygon(
            QPolygonF({at + QPointF(-2.5, -3.5), at + QPointF(3.5, 0), at + QPointF(-2.5, 3.5)}));
        break;
      case CurveMarkKind::changed:
        painter.setBrush(colors.accent);
        painter.drawPolygon(QPolygonF({at + QPointF(-3.5, 0),
                                       at + QPointF(0, -3.5),
                                       at + QPointF(3.5, 0),
                                       at + QPointF(0, 3.5)}));
        break;
      case CurveMarkKind::warning:
        painter.setBrush(colors.warning);
        painter.drawPolygon(
            QPolygonF({at + QPointF(-4, 3.5), at + QPointF(4, 3.5), at + QPointF(0, -3.5)}));
        break;
    }
  }

  const CurveScene& scene_;
};

}  // namespace

QString markTextAt(const CurveScene& scene, const QPointF& pixel) {
  const QRect rect = scene.panelRect(0);
  if (pixel.y() < rect.top() - CurveScene::kMarkLane - 4 || pixel.y() > rect.top() + 4) return {};
  QStringList texts;
  for (const CurveMark& mark : scene.marks()) {
    if (std::abs(scene.xPixel(scene.placeOf(mark)) - pixel.x()) <= kMarkReach) texts << mark.text;
  }
  constexpr int kMostLines = 8;
  if (texts.size() > kMostLines) {
    const auto more = texts.size() - kMostLines;
    texts = texts.first(kMostLines) << u"and %1 more"_s.arg(more);
  }
  return texts.join(u'\n');
}

void addDecorations(QCustomPlot& plot, const CurveScene& scene) {
  new Decorations(plot, scene);
}

}  // namespace lambda
