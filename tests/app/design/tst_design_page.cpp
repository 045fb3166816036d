#include <memory>
#include <string>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QtTest/QtTest>

#include "app/design/problems/problem_row.h"
#include "app/design/totals/epoch_time.h"
#include "app/design/totals/total_cell.h"
#include "app/design/totals/totals_bar.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/design_studio.h"
#include "widgets/forms/field_form.h"
#include "widgets/forms/number_box.h"
#include "widgets/network/network_editor.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

using test::DesignStudio;
using test::preset;

class TestDesignPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aHybridIsBuiltByClickingAndUndone();
  void aPaintedDragIsOneUndoStep();
  void aDraggedSliderIsOneUndoStep();
  void whatIsTypedReachesTheNetworkAtOnce();
  void severalBlocksAreEditedAtOnce();
  void theKindIsChosenInThePanel();
  void trainIsAskedFor();
  void theLayoutIsRemembered();
  void theThemeChangesWhileItIsShown();
  void lettersInFieldsAreText();
  void lettersElsewhereAreOfTheNetwork();
  void tabLeadsFromTheNetworkToItsProblemsAndOptions();
  void narrowWindowsAndLargeTextFit_data();
  void narrowWindowsAndLargeTextFit();
  void everyActionHasTextAndTip();
  void editsAreQuick();
};

void TestDesignPage::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(u"lambda-studio-design-tests"_s);
  QSettings().clear();
  applyTheme(*qApp, ThemeChoice::light);
}

void TestDesignPage::aHybridIsBuiltByClickingAndUndone() {
  DesignStudio studio(preset("resnet50-cifar"));
  for (const int block : {0, 1, 2}) studio.turn(blockPart(3, block));
  studio.click(stagePart(2));
  QTest::keyClick(&studio.editor(), Qt::Key_L);
  const Architecture& architecture = studio.document.config().architecture;
  QCOMPARE(patternOf(architecture), "C-C-L-L"s);
  QCOMPARE(costOf(architecture).parameters,
           costOf(preset("resnet50-cifar-ccll").architecture).parameters);
  QCOMPARE(studio.document.undoStack().count(), 4);
  QCOMPARE(studio.stepText(), u"Turn 6 blocks into lambda layers"_s);
  while (studio.document.undoStack().canUndo()) studio.actions.undoAction()->trigger();
  QCOMPARE(patternOf(studio.editor().architecture()), "C-C-C-C"s);
  while (studio.document.undoStack().canRedo()) studio.actions.redoAction()->trigger();
  QCOMPARE(patternOf(studio.editor().architecture()), "C-C-L-L"s);
}

void TestDesignPage::aPaintedDragIsOneUndoStep() {
  DesignStudio studio(preset("resnet50-cifar"));
  studio.editor().setTool({mixerKindOf<LambdaMixer>()});
  QWidget* viewport = studio.editor().viewport();
  QTest::mousePress(viewport, Qt::LeftButton, {}, studio.at(blockPart(2, 0)));
  for (const int block : {2, 5, 1}) QTest::mouseMove(viewport, studio.at(blockPart(2, block)));
  QTest::mouseRelease(viewport, Qt::LeftButton, {}, studio.at(blockPart(2, 1)));
  QCOMPARE(patternOf(studio.document.config().architecture), "C-C-L-C"s);
  QCOMPARE(studio.document.undoStack().count(), 1);
  QCOMPARE(studio.stepText(), u"Paint 6 lambda layers"_s);
  studio.actions.undoAction()->trigger();
  QVERIFY(studio.document.config() == preset("resnet50-cifar"));
}

void TestDesignPage::aDraggedSliderIsOneUndoStep() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.click(blockPart(1, 2));
  auto* slider = studio.form().editorOf("block.mixer.k")->parentWidget()->findChild<QSlider*>();
  const QString before = studio.total(u"Parameters"_s)->value();
  slider->setSliderDown(true);
  for (const int position : {5, 6, 7}) {
    slider->setValue(position);
    const auto& block = blockOf(studio.document.config().architecture, blockPart(1, 2));
    QCOMPARE(std::get<LambdaMixer>(block.mixer).queryDepth, 1 << position);
    QVERIFY(studio.total(u"Parameters"_s)->value() != before);
  }
  slider->setSliderDown(false);
  QCOMPARE(studio.document.undoStack().count(), 1);
  QCOMPARE(studio.stepText(), u"Set query depth k to 128"_s);
  slider->setValue(2);
  QCOMPARE(studio.document.undoStack().count(), 2);
}

void TestDesignPage::whatIsTypedReachesTheNetworkAtOnce() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.click(stagePart(1));
  auto* box = qobject_cast<NumberBox*>(studio.form().editorOf("stage.width"));
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"96"_s);
  QCOMPARE(studio.document.config().architecture.stages[1].width, 96);
  QCOMPARE(box->text(), u"96"_s);
  QVERIFY(box->hasFocus());
  QCOMPARE(studio.document.undoStack().count(), 1);
  studio.actions.undoAction()->trigger();
  QCOMPARE(box->text(), u"192"_s);
}

void TestDesignPage::severalBlocksAreEditedAtOnce() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.editor().setSelection({blockPart(1, 2), blockPart(2, 2)});
  auto* box = qobject_cast<NumberBox*>(studio.form().editorOf("block.mixer.h"));
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"8"_s);
  const Architecture& architecture = studio.document.config().architecture;
  for (const PartId& part : {blockPart(1, 2), blockPart(2, 2)}) {
    QCOMPARE(std::get<LambdaMixer>(blockOf(architecture, part).mixer).heads, 8);
  }
}

void TestDesignPage::theKindIsChosenInThePanel() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.click(blockPart(1, 0));
  auto* combo = qobject_cast<QComboBox*>(studio.form().editorOf("block.mixer.kind"));
  combo->setFocus();
  QTest::keyClick(combo, Qt::Key_Down);
  QCOMPARE(patternOf(studio.document.config().architecture), "C-LCL-CCL"s);
  QVERIFY(studio.form().editorOf("block.mixer.k"));
  QVERIFY(combo->hasFocus());
}

void TestDesignPage::trainIsAskedFor() {
  DesignStudio studio(preset("quickstart"));
  QSignalSpy spy(studio.page, &DesignPage::trainRequested);
  for (QPushButton* button : studio.page->findChildren<QPushButton*>()) {
    if (button->text() == u"Train"_s) button->click();
  }
  QCOMPARE(spy.size(), 1);
  QTest::keyClick(&studio.editor(), Qt::Key_Return, Qt::ControlModifier);
  QCOMPARE(spy.size(), 2);
}

void TestDesignPage::theLayoutIsRemembered() {
  QSettings settings;
  QList<int> before;
  int problems = 0;
  {
    DesignStudio studio(preset("quickstart"));
    before = studio.splitter(u"columns"_s)->sizes();
    studio.drag(u"columns"_s, {-198, 0});
    studio.drag(u"rows"_s, {0, -100});
    problems = studio.splitter(u"rows"_s)->sizes()[1];
    QVERIFY(problems > 120);
    studio.page->saveLayout(settings);
  }
  DesignStudio studio(preset("quickstart"));
  studio.page->restoreLayout(settings);
  QVERIFY(std::abs(studio.splitter(u"columns"_s)->sizes()[0] - before[0] + 198) <= 2);
  QTRY_COMPARE(studio.splitter(u"rows"_s)->sizes()[1], problems);
  QSettings standard(studio.folder.filePath(u"none.ini"_s), QSettings::IniFormat);
  studio.page->restoreLayout(standard);
  QCOMPARE(studio.splitter(u"columns"_s)->sizes(), before);
}

void TestDesignPage::theThemeChangesWhileItIsShown() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  DesignStudio studio(config);
  studio.click(blockPart(2, 2));
  const auto grab = [&] {
    // A layout may request the layout of others.
    for (int i = 0; i < 4; ++i) QApplication::sendPostedEvents();
    return studio.page->grab().toImage();
  };
  const QImage light = grab();
  applyTheme(*qApp, ThemeChoice::dark);
  const QImage dark = grab();
  applyTheme(*qApp, ThemeChoice::light);
  const auto brightness = [](const QImage& image) {
    return image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
        .pixelColor(0, 0)
        .lightness();
  };
  QVERIFY(brightness(light) > 200 && brightness(dark) < 70);
  QCOMPARE(grab(), light);
}

void TestDesignPage::lettersInFieldsAreText() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.editor().selectAll();
  studio.page->showProblem("architecture.name");
  const Architecture before = studio.document.config().architecture;
  QWidget* name = studio.form().editorOf("architecture.name");
  QVERIFY(name->hasFocus());
  QTest::keyClicks(name, u"lc+- v"_s);
  Architecture named = studio.document.config().architecture;
  QCOMPARE(named.name.size(), before.name.size() + 6);
  named.name = before.name;
  QVERIFY(named == before);
  studio.click(blockPart(1, 0));
  QWidget* kind = studio.form().editorOf("block.mixer.kind");
  kind->setFocus();
  QTest::keyClick(kind, Qt::Key_Delete);
  QCOMPARE(allBlocks(studio.document.config().architecture).size(), allBlocks(before).size());
}

void TestDesignPage::lettersElsewhereAreOfTheNetwork() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.click(blockPart(1, 0));
  studio.form().editorOf("block.mixer.kind")->setFocus();
  const auto blocks = [&] { return allBlocks(studio.editor().architecture()).size(); };
  const auto before = blocks();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_L);
  QCOMPARE(patternOf(studio.editor().architecture()), "C-LCL-CCL"s);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Plus);
  QCOMPARE(blocks(), before + 1);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Minus);
  QCOMPARE(blocks(), before);
  studio.page->showTemplates(true);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_C);
  QCOMPARE(patternOf(studio.editor().architecture()), "C-LCL-CCL"s);
}

void TestDesignPage::tabLeadsFromTheNetworkToItsProblemsAndOptions() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  DesignStudio studio(config);
  studio.click(blockPart(1, 0));
  const auto tab = [] { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab); };
  tab();
  QCOMPARE(QApplication::focusWidget()->accessibleName(), u"What is this?"_s);
  tab();
  QVERIFY(qobject_cast<ProblemRow*>(QApplication::focusWidget()));
  tab();
  QCOMPARE(QApplication::focusWidget()->objectName(), u"fix"_s);
  tab();
  QVERIFY(studio.form().editorOf("block.mixer.kind")->hasFocus());
  tab();
  QVERIFY(studio.form().editorOf("block.mixer.kernelSize")->hasFocus());
}

void TestDesignPage::narrowWindowsAndLargeTextFit_data() {
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("page");
  QTest::addColumn<QSize>("least");
  QTest::newRow("small") << 1.0 << QSize(1000, 620) << QSize(920, 560);
  QTest::newRow("large text") << 1.5 << QSize(1208, 680) << QSize(1190, 660);
  QTest::newRow("huge text") << 2.0 << QSize(1848, 1010) << QSize(1848, 1010);
}

void TestDesignPage::narrowWindowsAndLargeTextFit() {
  QFETCH(double, scale);
  QFETCH(QSize, page);
  QFETCH(QSize, least);
  applyTheme(*qApp, ThemeChoice::light, scale);
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  RunConfig config = preset("resnet50-cifar-ccll");
  config.architecture.name = std::string(300, 'W');
  DesignStudio studio(config, page);
  studio.click(blockPart(1, 0));
  studio.page->totals().epochTime().measure();
  QTRY_VERIFY(!studio.page->totals().epochTime().isMeasuring());
  QTest::qWait(0);
  const QSize hint = studio.page->minimumSizeHint();
  QVERIFY2(hint.width() <= least.width() && hint.height() <= least.height(),
           qPrintable(u"%1x%2"_s.arg(hint.width()).arg(hint.height())));
  QCOMPARE(studio.page->size(), page);
  QVERIFY(studio.editor().height() >= 0.4 * page.height());
  // No control of the bars or the form may extend beyond the page.
  for (QWidget* widget : studio.page->findChildren<QWidget*>()) {
    const bool isControl = qobject_cast<QAbstractButton*>(widget) ||
                           qobject_cast<TotalCell*>(widget) || qobject_cast<NumberBox*>(widget) ||
                           qobject_cast<QComboBox*>(widget);
    if (!isControl || !widget->isVisible()) continue;
    const int right = widget->mapTo(studio.page, QPoint(widget->width(), 0)).x();
    const QString name =
        widget->accessibleName() + QLatin1String(widget->metaObject()->className());
    QVERIFY2(right <= studio.page->width(), qPrintable(name));
    QVERIFY2(widget->width() >= widget->minimumSizeHint().width(), qPrintable(name));
  }
}

void TestDesignPage::everyActionHasTextAndTip() {
  DesignStudio studio(preset("quickstart"));
  QStringList keys;
  for (QAction* action : studio.page->pageActions()) {
    if (!action) continue;
    QVERIFY(!action->text().isEmpty() && !action->toolTip().isEmpty());
    for (const QKeySequence& key : action->shortcuts()) {
      QVERIFY2(!keys.contains(key.toString()), qPrintable(key.toString()));
      keys << key.toString();
    }
  }
}

void TestDesignPage::editsAreQuick() {
  RunConfig config = preset("resnet50-cifar");
  for (Stage& stage : config.architecture.stages) stage.blocks.resize(36, stage.blocks[0]);
  DesignStudio studio(config);
  studio.editor().setSelection({blockPart(2, 0)});
  QElapsedTimer timer;
  timer.start();
  constexpr int kTimes = 10;
  for (int i = 0; i < kTimes; ++i) studio.editor().turnIntoNext();
  // An edit may take 50 ms; 3 ms were measured.
  QVERIFY2(timer.elapsed() / kTimes < 50, qPrintable(QString::number(timer.elapsed())));
}

}  // namespace lambda

QTEST_MAIN(lambda::TestDesignPage)
#include "tst_design_page.moc"
