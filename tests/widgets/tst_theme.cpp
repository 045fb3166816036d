#include <algorithm>
#include <cmath>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QStyleOptionButton>
#include <QToolButton>
#include <QtTest/QtTest>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/question_box.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Relative luminance of WCAG 2.1.
double luminance(const QColor& color) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double first = luminance(a) + 0.05;
  const double second = luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

}  // namespace

class TestTheme : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textCanBeReadOnEveryGround_data();
  void textCanBeReadOnEveryGround();
  void aWidgetFindsTheColorsOfTheThemeThatIsSet();
  void everyNameInTheRulesHasAValue();
  void aWidgetReactsAfterEachChange();
  void allTextGrowsWithTheScale();
  void boxesAndDotsGrowWithTheText();
  void iconsOfButtonsGrowWithTheText();
  void figuresInColumnsHaveOneWidth();
  void everyIconCanBeDrawnInBothThemes();
  void buttonsOfQuestionsHaveNoIcons();
  void anOpenListHasOneFrame();
  void theChosenEntryOfAListIsInLineWithTheOthers();
};

void TestTheme::textCanBeReadOnEveryGround_data() {
  QTest::addColumn<const Colors*>("colors");
  QTest::newRow("light") << &lightColors();
  QTest::newRow("dark") << &darkColors();
  QTest::newRow("print") << &printColors();
}

void TestTheme::textCanBeReadOnEveryGround() {
  QFETCH(const Colors*, colors);
  const Colors& c = *colors;
  constexpr double kReadable = 4.5;
  for (const QColor& ground : {c.page, c.surface, c.raised, c.hover, c.accentSoft}) {
    for (const QColor& text : {c.text, c.textSecondary}) {
      QVERIFY2(contrast(text, ground) >= kReadable, qPrintable(text.name() + ground.name()));
    }
  }
  for (const QColor& ground : {c.page, c.surface, c.raised}) {
    for (const QColor& text : {c.success, c.warning, c.error}) {
      QVERIFY2(contrast(text, ground) >= kReadable, qPrintable(text.name() + ground.name()));
    }
  }
  QVERIFY(contrast(c.accentText, c.accent) >= kReadable);
  QVERIFY(contrast(c.lambdaChipText, c.lambdaChip) >= kReadable);
  QVERIFY(contrast(c.convolutionChipText, c.convolutionChip) >= kReadable);
}

void TestTheme::aWidgetFindsTheColorsOfTheThemeThatIsSet() {
  QLabel label;
  label.show();
  applyTheme(*qApp, ThemeChoice::dark);
  QVERIFY(colorsOf(label).dark);
  applyTheme(*qApp, ThemeChoice::light);
  QVERIFY(!colorsOf(label).dark);
}

void TestTheme::everyNameInTheRulesHasAValue() {
  applyTheme(*qApp, ThemeChoice::light);
  QVERIFY(qApp->styleSheet().contains(u"QToolTip"_s));
  QVERIFY(!qApp->styleSheet().contains(u'@'));
  QVERIFY(!qApp->styleSheet().contains(QRegularExpression(u"\\dsp"_s)));
}

void TestTheme::aWidgetReactsAfterEachChange() {
  QStringList reactions;
  QLabel label;
  onFontChange(label, [&] { reactions << u"font"_s; });
  onPaletteChange(label, [&] { reactions << u"palette"_s; });
  onChange(label, {QEvent::FontChange, QEvent::PaletteChange}, [&] { reactions << u"either"_s; });
  QEvent font(QEvent::FontChange), palette(QEvent::PaletteChange), other(QEvent::LanguageChange);
  for (QEvent* event : {&font, &palette, &other}) QApplication::sendEvent(&label, event);
  QCOMPARE(reactions, QStringList({u"font"_s, u"either"_s, u"palette"_s, u"either"_s}));
}

void TestTheme::allTextGrowsWithTheScale() {
  applyTheme(*qApp, ThemeChoice::light, 1);
  const int body = bodyFont().pixelSize();
  const int heading = headingFont().pixelSize();
  applyTheme(*qApp, ThemeChoice::light, 2);
  QCOMPARE(textScale(), 2.0);
  QCOMPARE(bodyFont().pixelSize(), 2 * body);
  QCOMPARE(headingFont().pixelSize(), 2 * heading);
  applyTheme(*qApp, ThemeChoice::light, 1);
}

void TestTheme::boxesAndDotsGrowWithTheText() {
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  QCheckBox box;
  QRadioButton dot;
  const auto widthOf = [](const QWidget& widget, QStyle::PixelMetric part, QStyle::StateFlag is) {
    QStyleOptionButton option;
    option.initFrom(&widget);
    option.state |= is;
    return widget.style()->pixelMetric(part, &option, &widget);
  };
  for (const double scale : {1.0, 1.25, 1.5, 1.75, 2.0}) {
    applyTheme(*qApp, ThemeChoice::light, scale);
    for (const QStyle::StateFlag is : {QStyle::State_Off, QStyle::State_On}) {
      QCOMPARE(widthOf(box, QStyle::PM_IndicatorWidth, is), qRound(14 * scale) + 2);
      QCOMPARE(widthOf(dot, QStyle::PM_ExclusiveIndicatorWidth, is), qRound(12 * scale) + 2);
    }
  }
}

void TestTheme::iconsOfButtonsGrowWithTheText() {
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  QPushButton push;
  QToolButton tool;
  for (const double scale : {1.0, 1.5, 2.0}) {
    applyTheme(*qApp, ThemeChoice::light, scale);
    const QSize size = QSize(16, 16) * scale;
    QCOMPARE(push.iconSize(), size);
    QCOMPARE(tool.iconSize(), size);
  }
}

void TestTheme::figuresInColumnsHaveOneWidth() {
  const QFontMetricsF metrics(numberFont());
  for (char digit = '1'; digit <= '9'; ++digit) {
    QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(u'0'));
  }
}

void TestTheme::everyIconCanBeDrawnInBothThemes() {
  const QStringList files = QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")});
  QVERIFY(files.size() > 30);
  QLabel label;
  for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark}) {
    applyTheme(*qApp, theme);
    for (const QString& file : files) {
      const QImage image = icon(file.chopped(4), label).pixmap(32, 32).toImage();
      bool isEmpty = true;
      for (int y = 0; y < image.height() && isEmpty; ++y) {
        for (int x = 0; x < image.width() && isEmpty; ++x) isEmpty = qAlpha(image.pixel(x, y)) == 0;
      }
      QVERIFY2(!isEmpty, qPrintable(file));
    }
  }
  applyTheme(*qApp, ThemeChoice::light);
}

/// The icons belong to "Yes" and "Cancel": a red cross on "Keep training" says the opposite.
void TestTheme::anOpenListHasOneFrame() {
  applyTheme(*qApp, ThemeChoice::light);
  QComboBox box;
  box.addItems({u"Adam"_s, u"Lion"_s, u"Muon"_s});
  box.show();
  QVERIFY(QTest::qWaitForWindowExposed(&box));
  box.showPopup();
  const QImage picture = box.view()->window()->grab().toImage();
  const QPoint middle = picture.rect().center();
  for (int i = 0; i < 4; ++i) {
    const QColor expected = i == 0 ? lightColors().hairline : lightColors().raised;
    for (const QPoint place : {QPoint(i, middle.y()),
                               QPoint(picture.width() - 1 - i, middle.y()),
                               QPoint(middle.x(), i),
                               QPoint(middle.x(), picture.height() - 1 - i)}) {
      QCOMPARE(picture.pixelColor(place), expected);
    }
  }
  box.hidePopup();
}

void TestTheme::theChosenEntryOfAListIsInLineWithTheOthers() {
  applyTheme(*qApp, ThemeChoice::light);
  QListWidget list;
  list.addItems({u"Epoch"_s, u"Epoch"_s});
  list.setCurrentRow(1);
  list.show();
  QVERIFY(QTest::qWaitForWindowExposed(&list));
  const QImage picture = list.viewport()->grab().toImage();
  const auto leftOf = [&](int row) {
    constexpr int kDark = 110;
    const QRect entry = list.visualItemRect(list.item(row));
    for (int x = entry.left(); x < entry.right(); ++x) {
      for (int y = entry.top(); y < entry.bottom(); ++y) {
        if (picture.pixelColor(x, y).lightness() < kDark) return x;
      }
    }
    return -1;
  };
  QVERIFY(leftOf(0) > 0);
  QCOMPARE(leftOf(1), leftOf(0));
}

void TestTheme::buttonsOfQuestionsHaveNoIcons() {
  applyTheme(*qApp, ThemeChoice::light);
  QWidget window;
  window.show();
  const QMessageBox* box = ask({.title = u"Stop?"_s,
                                .text = u"A training is under way."_s,
                                .detail = {},
                                .answers = {{QMessageBox::Cancel, u"Keep training"_s, {}},
                                            {QMessageBox::Yes, u"Stop and close"_s, {}}}},
                               window);
  QCOMPARE(box->buttons().size(), 2);
  for (const QAbstractButton* button : box->buttons()) {
    QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTheme)

#include "tst_theme.moc"
