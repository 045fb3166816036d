#include "widgets/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QPixmap draw(QByteArray svg, const QColor& color, int side) {
  svg.replace("currentColor", color.name().toLatin1());
  QSvgRenderer renderer(svg);
  QPixmap pixmap(side, side);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

// Buttons request their icons again whenever their state changes; reading SVG each time would be
// noticeably slow.
QPixmap cached(const QString& name, const QColor& color, int side) {
  const QString key = u"lambda-icon/%1/%2/%3"_s.arg(name, color.name()).arg(side);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  QFile file(u":/icons/"_s + name + u".svg"_s);
  if (!file.open(QIODevice::ReadOnly)) return {};
  pixmap = draw(file.readAll(), color, side);
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

QIcon drawn(const QString& name, const QColor& normal, const QColor& disabled) {
  QIcon icon;
  for (const int side : {16, 20, 24, 32, 48, 64}) {
    icon.addPixmap(cached(name, normal, side));
    icon.addPixmap(cached(name, disabled, side), QIcon::Disabled);
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

QSize iconSizeForText() {
  const int side = qRound(16 * textScale());
  return {side, side};
}

}  // namespace lambda
