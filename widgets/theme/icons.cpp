#include "widgets/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

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

QIcon drawn(const QString& name, const QColor& normal, const QColor& disabled) {
  QFile file(u":/icons/"_s + name + u".svg"_s);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  QIcon icon;
  for (const int side : {16, 20, 24, 32, 48, 64}) {
    icon.addPixmap(drawn(svg, normal, side));
    icon.addPixmap(drawn(svg, disabled, side), QIcon::Disabled);
  }
  return icon;
}

}  // namespace

QIcon icon(const QString& name, const QWidget& widget) {
  loadResources();
  const Colors& colors = colorsOf(widget);
  return drawn(name, colors.text, colors.textDisabled);
}

QIcon icon(const QString& name, const QColor& color) {
  return drawn(name, color, color);
}

}  // namespace lambda
