#include "widgets/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QPixmap drawn(QByteArray svg, const QColor& color, int side) {
  svg.replace("currentColor", color.name().toLatin1());
  QSvgRenderer renderer(svg);
  QPixmap pixmap(side, side);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

}  // namespace

QIcon icon(const QString& name, const QWidget& widget) {
  QFile file(u":/icons/"_s + name + u".svg"_s);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  const Colors& colors = colorsOf(widget);
  QIcon icon;
  for (const int side : {16, 20, 24, 32, 48, 64}) {
    icon.addPixmap(drawn(svg, colors.text, side));
    icon.addPixmap(drawn(svg, colors.textDisabled, side), QIcon::Disabled);
  }
  return icon;
}

}  // namespace lambda
