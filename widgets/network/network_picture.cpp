#include "widgets/network/network_picture.h"

#include <algorithm>

#include <QPainter>
#include <QTextStream>

#include "widgets/network/drawing/network_painter.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kUnbounded = 1e6;  ///< As high as necessary: nothing is made compact.
constexpr double kPaperMargin = 16;
constexpr double kPaperTitle = 56;
constexpr double kWidth = 1120;
constexpr int kLongestName = 80;

NetworkLayout paperLayout(const Architecture& architecture, const OperationCounts& opened) {
  return layoutOf(
      architecture, opened, QSizeF(kWidth, kUnbounded), textScale(), /*hasExplanations=*/false);
}

QSizeF paperSize(const NetworkLayout& layout) {
  const double title = kPaperTitle * textScale();
  return {std::max(layout.width, kWidth), title + layout.headerHeight + layout.bodyHeight};
}

QString quoted(QString text) {
  return u"\""_s + text.replace(u'"', u"\"\""_s) + u"\""_s;
}

}  // namespace

QString NetworkPicture::name() const {
  QString safe;
  for (const QChar c : QString::fromStdString(architecture.name))
    safe += c.isLetterOrNumber() || c == u'-' ? c : QChar(u'-');
  // Some file systems do not allow longer names.
  return safe.isEmpty() ? u"network"_s : safe.toLower().left(kLongestName);
}

QSize NetworkPicture::size() const {
  return paperSize(paperLayout(architecture, opened)).toSize();
}

void NetworkPicture::paint(QPainter& painter, const QSize& size, const Colors& colors) const {
  const NetworkLayout layout = paperLayout(architecture, opened);
  const QSizeF paper = paperSize(layout);
  const double scale = textScale();
  painter.save();
  const double fit = std::min(size.width() / paper.width(), size.height() / paper.height());
  painter.scale(fit, fit);

  painter.setPen(colors.text);
  painter.setFont(headingFont());
  const QRectF line(kPaperMargin, 10 * scale, paper.width() - 2 * kPaperMargin, 20 * scale);
  const QString title = QString::fromStdString(architecture.name);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title.isEmpty() ? u"Network"_s : title);
  painter.setPen(colors.textSecondary);
  painter.setFont(smallFont());
  painter.drawText(line.translated(0, 20 * scale),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   u"%1, %2 parameters, %3 FLOPs, %4 of activations per image"_s.arg(
                       QString::fromStdString(patternOf(architecture)),
                       shortCountText(costs.total.parameters),
                       shortCountText(costs.total.flops),
                       bytesText(costs.total.activationBytes, 3)));
  painter.translate(0, kPaperTitle * scale);
  const NetworkMarks plain;
  NetworkPainter network(painter, architecture, costs, layout, plain, colors, scale);
  network.paintHeader();
  painter.translate(0, layout.headerHeight);
  network.paintBody();
  painter.restore();
}

QString NetworkPicture::toCsv() const {
  QString text;
  QTextStream out(&text);
  out << "part,description,height,width,channels,parameters,flops,activation_bytes\n";
  const auto row = [&](const QString& part,
                       const QString& description,
                       const MapShape& map,
                       long long parameters,
                       long long flops,
                       long long bytes) {
    out << quoted(part) << ',' << quoted(description) << ',' << map.height << ',' << map.width
        << ',' << map.channels << ',' << parameters << ',' << flops << ',' << bytes << '\n';
  };
  for (const auto& [part, cost] : costs.parts) {
    if (part.kind == PartKind::stage) continue;
    QString description;
    if (part.kind == PartKind::stem) description = stemText(architecture.stem);
    if (part.kind == PartKind::block) description = mixerText(blockOf(architecture, part).mixer);
    row(partTitle(part),
        description,
        cost.output,
        cost.parameters,
        cost.flops,
        cost.activationBytes);
  }
  row(u"Total"_s,
      QString::fromStdString(patternOf(architecture)),
      costs.parts.at(kHeadPart).output,
      costs.total.parameters,
      costs.total.flops,
      costs.total.activationBytes);
  return text;
}

}  // namespace lambda
