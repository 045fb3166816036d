#include "widgets/theme/theme.h"

#include <optional>

#include <QApplication>
#include <QFile>
#include <QFont>
#include <QFontDatabase>
#include <QFrame>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QStyleOption>

#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

// The resource system's names must be outside of all namespaces.
static void registerResources() {
  Q_INIT_RESOURCE(lambda_studio);
}

namespace lambda {

namespace {

/// Gives an open drop-down list one thin frame. The rules reach only its entries, which cover the
/// sides of what is drawn here.
class StudioStyle : public QProxyStyle {
 public:
  StudioStyle() : QProxyStyle(u"Fusion"_s) {}

  int styleHint(StyleHint hint,
                const QStyleOption* option,
                const QWidget* widget,
                QStyleHintReturn* data) const override {
    if (hint == SH_ComboBox_PopupFrameStyle) return QFrame::NoFrame;
    return QProxyStyle::styleHint(hint, option, widget, data);
  }

  void drawPrimitive(PrimitiveElement element,
                     const QStyleOption* option,
                     QPainter* painter,
                     const QWidget* widget) const override {
    const bool isOpenList = widget != nullptr && widget->inherits("QComboBoxPrivateContainer");
    if (element != PE_PanelMenu || !isOpenList) {
      QProxyStyle::drawPrimitive(element, option, painter, widget);
      return;
    }
    const Colors& colors = colorsOf(*widget);
    painter->fillRect(option->rect, colors.hairline);
    painter->fillRect(option->rect.adjusted(1, 1, -1, -1), colors.raised);
  }
};

/// The pixels of the lengths in sp.
QString withPixels(const QString& text, double scale) {
  const QRegularExpression length(u"\\b(\\d+)sp\\b"_s);
  QString result;
  qsizetype done = 0;
  for (QRegularExpressionMatchIterator found = length.globalMatch(text); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    result += text.sliced(done, match.capturedStart() - done);
    result += u"%1px"_s.arg(qRound(match.captured(1).toInt() * scale));
    done = match.capturedEnd();
  }
  return result + text.sliced(done);
}

/// The rules of theme.qss with the values of its names.
QString rules(const Colors& c, double scale) {
  QFile file(u":/theme.qss"_s);
  if (!file.open(QIODevice::ReadOnly)) qFatal("theme.qss is not in the program");
  QString text = QString::fromUtf8(file.readAll());
  // A checked radio button is as large as another: its circle is 12sp wide in a border of 1px.
  const int dot = qRound(12 * scale) + 2 - 2 * qRound(4 * scale);
  const QColor accentHover = c.dark ? c.accent.lighter(108) : c.accent.darker(110);
  // Longer names first: @accent is also the beginning of @accentHover.
  const std::pair<QString, QString> values[] = {
      {u"@accentHover"_s, accentHover.name()},
      {u"@accent"_s, c.accent.name()},
      {u"@onAccent"_s, c.accentText.name()},
      {u"@soft"_s, c.accentSoft.name()},
      {u"@secondary"_s, c.textSecondary.name()},
      {u"@disabled"_s, c.textDisabled.name()},
      {u"@textDisabled"_s, c.textDisabled.name()},
      {u"@surface"_s, c.surface.name()},
      {u"@raised"_s, c.raised.name()},
      {u"@hairline"_s, c.hairline.name()},
      {u"@hover"_s, c.hover.name()},
      {u"@scroll"_s, (c.dark ? c.hairline.lighter(135) : c.hairline.darker(112)).name()},
      {u"@error"_s, c.error.name()},
      {u"@warning"_s, c.warning.name()},
      {u"@success"_s, c.success.name()},
      {u"@theme"_s, c.dark ? u"dark"_s : u"light"_s},
      {u"@dot"_s, u"%1px"_s.arg(dot)},
      {u"@text"_s, c.text.name()},
  };
  for (const auto& [name, value] : values) text.replace(name, value);
  return withPixels(text, scale);
}

QFont applicationFont(double scale) {
  QFont font = QApplication::font();
  // All its digits have one width, and it has the Greek letters of the formulas.
  if (QFontDatabase::families().contains(u"Roboto"_s)) font.setFamily(u"Roboto"_s);
  font.setPixelSize(qRound(13 * scale));
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

/// The palette tells this only until the program sets its own.
std::optional<bool>& systemDark() {
  static std::optional<bool> isDark;
  return isDark;
}

}  // namespace

void loadResources() {
  registerResources();
}

bool systemIsDark() {
  if (!systemDark())
    systemDark() = QApplication::palette().color(QPalette::Window).lightness() < 128;
  return *systemDark();
}

void setSystemDark(bool isDark) {
  systemDark() = isDark;
}

void applyTheme(QApplication& application, ThemeChoice choice, double scale) {
  loadResources();
  const bool isDark =
      choice == ThemeChoice::dark || (choice == ThemeChoice::system && systemIsDark());
  const Colors& colors = isDark ? darkColors() : lightColors();
  // Where there is a style sheet, Qt wraps the style, which an earlier call has set.
  if (application.styleSheet().isEmpty()) QApplication::setStyle(new StudioStyle);
  QApplication::setFont(applicationFont(scale));
  QApplication::setPalette(paletteOf(colors));
  application.setStyleSheet(rules(colors, scale));
}

QFrame* makeLine(Qt::Orientation orientation, QWidget* parent) {
  auto* line = new QFrame(parent);
  line->setFrameShape(orientation == Qt::Horizontal ? QFrame::HLine : QFrame::VLine);
  line->setFrameShadow(QFrame::Plain);
  line->setForegroundRole(QPalette::Mid);
  return line;
}

}  // namespace lambda
