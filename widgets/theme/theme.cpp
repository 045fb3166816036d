#include "widgets/theme/theme.h"

#include <optional>

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QFrame>
#include <QPalette>
#include <QStyleFactory>

#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

// The resource system's names must be outside of all namespaces.
static void registerResources() {
  Q_INIT_RESOURCE(lambda_studio);
}

namespace lambda {

namespace {

/// Colours and lengths are written as @name in the rules below.
QString rules(const Colors& c, double scale) {
  QString text =
      uR"(
QWidget { font-size: @body; }
QToolTip { color: @text; background: @raised; border: 1px solid @hairline; padding: 4px 6px; }
QMainWindow::separator, QSplitter::handle { background: @hairline; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QFrame[role="panel"] { background: @surface; border: none; }
QFrame[role="card"] { background: @raised; border: 1px solid @hairline; border-radius: 6px; }
QFrame[role="notice"] { background: @soft; border: none; border-bottom: 1px solid @hairline; }
QFrame[role="notice"][problem="error"] { border-left: 4px solid @error; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: @title; font-weight: 600; }
QLabel[role="heading"] { font-size: @heading; font-weight: 600; }
QLabel[role="secondary"] { color: @secondary; }
QMessageBox QLabel#qt_msgbox_label { font-size: @heading; font-weight: 600; min-width: @message; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLabel[role="hint"] { color: @secondary; font-size: @small; }
QLabel[role="error"] { color: @error; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="success"] { color: @success; }
QPushButton, QToolButton { background: @raised; color: @text; border: 1px solid @hairline; border-radius: 6px;
  padding: 5px 12px; }
QToolButton { padding: 5px 8px; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked, QPushButton:checked { background: @soft; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @disabled; background: @surface; }
QPushButton[role="primary"] { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentHover; }
QPushButton[role="primary"]:focus { border: 2px solid @text; padding: 4px 11px; }
QPushButton[role="primary"]:disabled { background: @hairline; color: @disabled; border-color: @hairline; }
QPushButton[role="quiet"], QToolButton[role="quiet"] { background: transparent; border-color: transparent; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover { background: @hover; }
QPushButton[role="quiet"]:checked, QToolButton[role="quiet"]:checked { background: @soft; }
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus { border-color: @accent; }
QToolButton[role="rail"] { background: transparent; border: none; border-radius: 6px; color: @secondary; padding: 4px 2px; }
QToolButton[role="rail"]:hover { background: @hover; }
QToolButton[role="rail"]:checked { background: @soft; color: @text; }
QToolButton[role="rail"]:focus { border: 1px solid @accent; }
QLabel[role="keys"] { color: @secondary; background: @surface; border: 1px solid @hairline; border-radius: 4px;
  padding: 1px 6px; }
QToolButton::menu-indicator { image: none; }
QToolButton[popupMode="1"] { padding-right: 24px; }
QToolButton::menu-button { background: transparent; border: none; border-radius: 6px; width: 20px; }
QToolButton::menu-button:hover { background: @hover; }
QToolButton::menu-arrow { image: url(:/icons/chevron-down-@theme.svg); width: 10px; height: 10px; }
QPushButton::menu-indicator { image: url(:/icons/chevron-down-@theme.svg); width: 10px; height: 10px;
  subcontrol-position: right center; right: 6px; }
QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox { background: @raised; color: @text;
  border: 1px solid @hairline; border-radius: 6px; padding: 4px 6px; selection-background-color: @accent;
  selection-color: @onAccent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: @disabled; background: @surface; }
QLineEdit[problem="error"], QAbstractSpinBox[problem="error"], QComboBox[problem="error"] { border-color: @error; }
QLineEdit[problem="warning"], QAbstractSpinBox[problem="warning"], QComboBox[problem="warning"] { border-color: @warning; }
QAbstractSpinBox { padding-right: 18px; }
QAbstractSpinBox::up-button { subcontrol-position: top right; width: 16px; border: none; margin: 2px 3px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; width: 16px; border: none; margin: 0 3px 2px 0; }
QAbstractSpinBox::up-arrow { image: url(:/icons/chevron-up-@theme.svg); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/chevron-down-@theme.svg); width: 9px; height: 9px; }
QComboBox { padding-right: 20px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-@theme.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @hairline; outline: none; padding: 4px; }
QCheckBox, QRadioButton { background: transparent; spacing: 6px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @textDisabled; border-radius: 3px; background: @raised; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-@theme.svg); }
QCheckBox::indicator:disabled { border-color: @hairline; background: @surface; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid @textDisabled; border-radius: 7px; background: @raised; }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: @accent; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid @accent; background: @onAccent; }
QGroupBox { border: none; margin-top: 24px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget { background: transparent; }
QAbstractItemView { background: @raised; border: 1px solid @hairline; border-radius: 6px; outline: none;
  selection-background-color: @soft; selection-color: @text; }
QAbstractItemView::item { padding: 3px 6px; }
QAbstractItemView::item:selected { background: @soft; color: @text; }
QAbstractItemView::item:hover:!selected { background: @hover; }
QHeaderView { background: @surface; border: none; }
QHeaderView::section { background: @surface; color: @secondary; border: none; border-bottom: 1px solid @hairline;
  padding: 5px 6px; }
QTableView { gridline-color: @hairline; }
QTableCornerButton::section { background: @surface; border: none; }
QTabWidget::pane { border: none; border-top: 1px solid @hairline; }
QTabBar { background: transparent; }
QTabBar::tab { color: @secondary; padding: 7px 12px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:disabled { color: @disabled; }
QMenuBar { background: @surface; border-bottom: 1px solid @hairline; }
QMenuBar::item { padding: 5px 10px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @raised; border: 1px solid @hairline; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 20px; border-radius: 4px; }
QMenu::item:selected { background: @soft; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @hairline; margin: 4px 8px; }
QStatusBar { background: @surface; border-top: 1px solid @hairline; }
QStatusBar::item { border: none; }
QProgressBar { background: @hover; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; color: transparent; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { height: 4px; background: @hairline; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; background: @accent;
  border: 1px solid @raised; }
QSlider::handle:horizontal:focus { border: 2px solid @text; }
QSlider::groove:horizontal:disabled, QSlider::sub-page:horizontal:disabled { background: @hover; }
QSlider::handle:horizontal:disabled { background: @disabled; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @disabled; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none;
  width: 0; height: 0; }
)"_s;
  const auto px = [&](double pixels) -> QString {
    return QString::number(qRound(pixels * scale)) + u"px"_s;
  };
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
      {u"@title"_s, px(22)},
      {u"@heading"_s, px(15)},
      {u"@body"_s, px(13)},
      {u"@message"_s, px(320)},
      {u"@small"_s, px(11)},
      {u"@text"_s, c.text.name()},
  };
  for (const auto& [name, value] : values) text.replace(name, value);
  return text;
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
  if (application.styleSheet().isEmpty())
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
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
