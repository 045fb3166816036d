#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QtTest/QtTest>

#include "widgets/equations/equation_view.h"
#include "widgets/equations/formula.h"
#include "widgets/equations/formula_line.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// The first equation of the paper.
const QString kLambda =
    u"\\lambda_n = \\sum_m (\\bar{k}_m + e_{nm}) v_m^T = \\underbrace{\\bar{K}^T V}{content "
    u"lambda} + "
    "\\underbrace{E_n^T V}{position lambda} \\in \\R^{k \\times v}"_s;

/// The area of the ink of a formula that is drawn at (100, 100).
QRect inkOf(const Formula& formula, double pixels) {
  QImage image(900, 240, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  formula.paint(painter, {100, 100}, pixels, Qt::black, Qt::black);
  painter.end();
  QRect ink;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (qGray(image.pixel(x, y)) < 160) ink = ink.united(QRect(x, y, 1, 1));
    }
  }
  return ink;
}

}  // namespace

class TestEquations : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light, 1); }

  void aFormulaIsReadAloudAsPlainText_data();
  void aFormulaIsReadAloudAsPlainText();

  void aFormulaIsDrawnWithinItsSize_data() { aFormulaIsReadAloudAsPlainText_data(); }

  void aFormulaIsDrawnWithinItsSize();
  void formulasFillLinesAndShrinkWhereTheyMust();
  void anEquationIsFoldedAway();
};

void TestEquations::aFormulaIsReadAloudAsPlainText_data() {
  QTest::addColumn<QString>("tex");
  QTest::addColumn<QString>("words");
  QTest::newRow("paper's equation 1")
      << kLambda
      << u"λ_n = Σ_m (k̄_m + e_nm) v_m^T = K̄^T V + E_n^T V ∈ ℝ^k×v"_s.replace(u" V"_s, u"V"_s);
  QTest::newRow("both scripts") << u"x_n^{2}"_s << u"x_n^2"_s;
  QTest::newRow("functions") << u"\\text{softmax}_m(k_m)"_s << u"softmax_m(k_m)"_s;
  QTest::newRow("norm") << u"\\|A_m v_m\\|"_s << u"‖A_mv_m‖"_s;
  QTest::newRow("dots") << u"\\sigma_1 \\ge \\sigma_2 \\ge \\ldots"_s << u"σ_1 ≥ σ_2 ≥ …"_s;
  QTest::newRow("unfinished") << u"\\sum_{m (k_"_s << u"Σ_m(k"_s;
  QTest::newRow("unknown command") << u"\\omega x"_s << u"omegax"_s;
}

void TestEquations::aFormulaIsReadAloudAsPlainText() {
  QFETCH(QString, tex);
  QFETCH(QString, words);
  QCOMPARE(Formula(tex).plainText().remove(u' '), words.remove(u' '));
}

void TestEquations::aFormulaIsDrawnWithinItsSize() {
  QFETCH(QString, tex);
  const Formula formula(tex);
  for (const double pixels : {12.0, 16.0, 32.0}) {
    const Formula::Size size = formula.sizeIn(pixels);
    const QRect ink = inkOf(formula, pixels);
    QVERIFY(!ink.isEmpty());
    // Slanted letters may lean over their width a little.
    const QRectF area(100, 100 - size.ascent, size.width, size.ascent + size.descent);
    const double lean = 0.25 * pixels;
    QVERIFY2(area.adjusted(-lean, -2, lean, 2).contains(ink), qPrintable(tex));
  }
}

void TestEquations::formulasFillLinesAndShrinkWhereTheyMust() {
  FormulaLine line;
  line.setFormulas({u"y_n = \\lambda_n^T q_n"_s, u"A_m = q_n \\cdot (\\bar{k}_m + e_{nm})"_s});
  const int wide = line.sizeHint().width();
  const int oneLine = line.heightForWidth(wide), twoLines = line.heightForWidth(wide * 2 / 3);
  QVERIFY(twoLines > 1.5 * oneLine);
  line.setFormulas({kLambda});
  const int whole = line.sizeHint().width();
  QVERIFY(line.heightForWidth(whole / 2) < line.heightForWidth(whole));
  line.resize(whole / 2, line.heightForWidth(whole / 2));
  const QImage shown = line.grab().toImage();
  const QRgb ground = shown.pixel(0, shown.height() - 1);
  for (int y = 0; y < shown.height(); ++y) QCOMPARE(shown.pixel(shown.width() - 1, y), ground);
  applyTheme(*qApp, ThemeChoice::light, 2);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  QVERIFY(line.sizeHint().width() > 1.8 * whole);
}

void TestEquations::anEquationIsFoldedAway() {
  EquationView view;
  view.setEquation({.formulas = {kLambda},
                    .number = u"(1)"_s,
                    .source = u"Equation 1 of the paper"_s,
                    .explanation = u"What it says."_s,
                    .letters = u"k = 16."_s});
  view.show();
  const auto& formula = *view.findChild<FormulaLine*>();
  const auto& source = *view.findChildren<QLabel*>()[0];
  const auto& text = *view.findChildren<QLabel*>()[1];
  QVERIFY(view.isOpen() && formula.isVisible());
  QCOMPARE(source.text(), u"(1)"_s);
  QCOMPARE(text.text(), u"What it says. k = 16."_s);
  QVERIFY(formula.accessibleName().startsWith(u"λ_n = Σ_m"_s));
  view.findChild<QToolButton*>()->click();
  QVERIFY(!view.isOpen() && !formula.isVisible() && !text.isVisible());
  QVERIFY(source.isVisible());
  QCOMPARE(source.text(), u"Equation 1 of the paper"_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestEquations)
#include "tst_equations.moc"
