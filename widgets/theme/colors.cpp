#include "widgets/theme/colors.h"

#include <cmath>

#include <QGuiApplication>
#include <QPalette>
#include <QWidget>

namespace lambda {

namespace {

Colors makeLight() {
  Colors c;
  c.page = QColor(0xfcfcfd);
  c.surface = QColor(0xf3f4f6);
  c.raised = QColor(0xffffff);
  c.hairline = QColor(0xdfe2e7);
  c.hover = QColor(0xe9ebef);
  c.text = QColor(0x1b1f24);
  c.textSecondary = QColor(0x59626d);
  c.textDisabled = QColor(0x9aa3ad);
  c.accent = QColor(0x3b5bdb);
  c.accentText = QColor(0xffffff);
  c.accentSoft = QColor(0xe3e9ff);
  c.success = QColor(0x24803a);
  c.warning = QColor(0xa15300);
  c.error = QColor(0xc92a2a);
  c.lambdaChip = QColor(0x3b5bdb);
  c.lambdaChipText = QColor(0xffffff);
  c.convolutionChip = QColor(0xd9dfe7);
  c.convolutionChipText = QColor(0x27303a);
  c.series = {QColor(0x0072b2),
              QColor(0xd55e00),
              QColor(0x009e73),
              QColor(0xcc79a7),
              QColor(0xe69f00),
              QColor(0x56b4e9),
              QColor(0x6f5bb5),
              QColor(0x1b1f24)};
  return c;
}

Colors makeDark() {
  Colors c;
  c.dark = true;
  c.page = QColor(0x15171c);
  c.surface = QColor(0x1c1f25);
  c.raised = QColor(0x242830);
  c.hairline = QColor(0x333943);
  c.hover = QColor(0x2c313a);
  c.text = QColor(0xe8eaed);
  c.textSecondary = QColor(0xa3abb6);
  c.textDisabled = QColor(0x68707c);
  c.accent = QColor(0x8aa0ff);
  c.accentText = QColor(0x0e1222);
  c.accentSoft = QColor(0x2a3358);
  c.success = QColor(0x5fcf7f);
  c.warning = QColor(0xf0a94b);
  c.error = QColor(0xff8079);
  c.lambdaChip = QColor(0x8aa0ff);
  c.lambdaChipText = QColor(0x0e1222);
  c.convolutionChip = QColor(0x3b424e);
  c.convolutionChipText = QColor(0xe0e4ea);
  c.series = {QColor(0x56b4e9),
              QColor(0xe69f00),
              QColor(0x2cc29a),
              QColor(0xdd8fbb),
              QColor(0xf0e442),
              QColor(0xf07f3c),
              QColor(0xa99bea),
              QColor(0xe8eaed)};
  return c;
}

Colors makePrint() {
  Colors c = makeLight();
  c.page = c.surface = c.raised = QColor(Qt::white);
  c.text = QColor(Qt::black);
  c.textSecondary = QColor(0x404040);
  return c;
}

}  // namespace

const Colors& lightColors() {
  static const Colors colors = makeLight();
  return colors;
}

const Colors& darkColors() {
  static const Colors colors = makeDark();
  return colors;
}

const Colors& printColors() {
  static const Colors colors = makePrint();
  return colors;
}

const Colors& colorsOf(const QWidget& widget) {
  QColor window = widget.palette().color(QPalette::Window);
  // A style rule with a transparent background leaves no colour in the palette that would tell the
  // set.
  if (window.alpha() == 0) window = QGuiApplication::palette().color(QPalette::Window);
  return window.lightness() < 128 ? darkColors() : lightColors();
}

QColor blended(const QColor& from, const QColor& to, double share) {
  const auto mix = [share](int a, int b) {
    return static_cast<int>(std::lround(a + (b - a) * share));
  };
  return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

QPalette paletteOf(const Colors& colors) {
  QPalette palette;
  palette.setColor(QPalette::Window, colors.page);
  palette.setColor(QPalette::WindowText, colors.text);
  palette.setColor(QPalette::Base, colors.raised);
  palette.setColor(QPalette::AlternateBase, colors.surface);
  palette.setColor(QPalette::Text, colors.text);
  palette.setColor(QPalette::PlaceholderText, colors.textSecondary);
  palette.setColor(QPalette::Button, colors.raised);
  palette.setColor(QPalette::ButtonText, colors.text);
  palette.setColor(QPalette::BrightText, colors.error);
  palette.setColor(QPalette::ToolTipBase, colors.raised);
  palette.setColor(QPalette::ToolTipText, colors.text);
  palette.setColor(QPalette::Highlight, colors.accent);
  palette.setColor(QPalette::HighlightedText, colors.accentText);
  palette.setColor(QPalette::Link, colors.accent);
  palette.setColor(QPalette::LinkVisited, colors.accent);
  palette.setColor(QPalette::Light, colors.raised);
  palette.setColor(QPalette::Midlight, colors.hover);
  palette.setColor(QPalette::Mid, colors.hairline);
  palette.setColor(QPalette::Dark, colors.textDisabled);
  palette.setColor(QPalette::Shadow, colors.dark ? QColor(Qt::black) : colors.textDisabled);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, colors.textDisabled);
  }
  palette.setColor(QPalette::Disabled, QPalette::Base, colors.surface);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, colors.hairline);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, colors.textDisabled);
  return palette;
}

}  // namespace lambda
