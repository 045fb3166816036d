#include <memory>
#include <string>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "app/design/problems/problem_row.h"
#include "app/design/problems/problems_panel.h"
#include "app/design/templates/template_card.h"
#include "app/design/templates/template_gallery.h"
#include "app/design/totals/epoch_time.h"
#include "app/design/totals/totals_bar.h"
#include "app/session/data_location.h"
#include "app/session/machine_service.h"
#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/design_studio.h"
#include "tests/support/scripted_engine.h"
#include "widgets/forms/field_form.h"
#include "widgets/network/network_editor.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

using test::DesignStudio;
using test::preset;

namespace {

QString plain(QString text) {
  return text.replace(QChar(0xa0), u' ');
}

}  // namespace

class TestDesignPanels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void totalsAreTheCostModels();
  void differencesAreThoseToTheSavedVersion();
  void aFixClearsItsFinding();
  void problemsOfOneKindHaveOneFix();
  void problemsCoverNoField();
  void aProblemLeadsToItsField();
  void problemsOfTheRecipeLeadToTraining();
  void withoutProblemsThePanelSaysSo();
  void anEpochIsMeasuredAndGrowsOld();
  void theDataSetIsFoundWhereTrainFindsIt();
  void aMeasurementIsCancelled();
  void aMeasurementThatFailsSaysWhy();
  void brokenNetworksAreNotMeasured();
  void whatMemoryCannotHoldIsNotMeasured();
  void allTemplatesAreOffered();
  void arrowKeysMoveAmongTheTemplatesAsTheyLie();
  void typedTextLeavesTheTemplatesThatContainIt();
  void aTemplateOverChangesAsksFirst();
  void aTemplateOverNothingStartsAnew();
  void theGalleryLeavesWhenTheNetworkIsClicked();
};

void TestDesignPanels::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(u"lambda-studio-design-tests"_s);
  QSettings().clear();
  applyTheme(*qApp, ThemeChoice::light);
}

void TestDesignPanels::totalsAreTheCostModels() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.turn(blockPart(1, 0));
  const RunConfig& config = studio.document.config();
  const NetworkCost cost = costOf(config.architecture);
  QCOMPARE(studio.total(u"Pattern"_s)->value(), u"C-LCL-CCL"_s);
  QCOMPARE(studio.total(u"Parameters"_s)->value(), shortCountText(cost.parameters));
  QCOMPARE(studio.total(u"FLOPs"_s)->value(), shortCountText(cost.flops));
  QCOMPARE(studio.total(u"Activations, batch of 256"_s)->value(),
           bytesText(cost.activationBytes * 256, 3));
  QCOMPARE(studio.total(u"Memory"_s)->value(), bytesText(trainingBytes(cost, 256, 1), 3));
}

void TestDesignPanels::differencesAreThoseToTheSavedVersion() {
  DesignStudio studio(preset("cpu-hybrid"));
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
  studio.turn(blockPart(2, 1));
  const long long saved = costOf(studio.document.savedConfig().architecture).parameters;
  const long long now = costOf(studio.document.config().architecture).parameters;
  QVERIFY(now < saved);
  QCOMPARE(studio.total(u"Parameters"_s)->difference(), u"−"_s + shortCountText(saved - now));
  QVERIFY(studio.document.saveAs(studio.folder.filePath(u"a.json"_s)).isEmpty());
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
  studio.actions.undoAction()->trigger();
  QCOMPARE(studio.total(u"Parameters"_s)->difference(), u"+"_s + shortCountText(saved - now));
}

void TestDesignPanels::aFixClearsItsFinding() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  DesignStudio studio(config);
  QCOMPARE(studio.shown<ProblemRow>().size(), 1);
  studio.click(blockPart(2, 2));
  studio.form().findChild<QPushButton*>(u"fix"_s)->click();
  QCOMPARE(studio.stepText(), u"Set h to 4"_s);
  QVERIFY(studio.document.problems().empty());
  QVERIFY(studio.shown<ProblemRow>().isEmpty());
  studio.actions.undoAction()->trigger();
  QCOMPARE(studio.shown<ProblemRow>().size(), 1);
}

void TestDesignPanels::problemsOfOneKindHaveOneFix() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(1, 2)).mixer).heads = 5;
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  config.architecture.stages[2].blocks[0].mixer = ConvolutionMixer{4};
  DesignStudio studio(config);
  QCOMPARE(studio.shown<ProblemRow>().size(), 2);
  ProblemRow* row = studio.shown<ProblemRow>()[0];
  QVERIFY(row->accessibleName().contains(
      u"2 blocks: stage 2, block 3; stage 3, block 3: For example: h = 5"_s));
  QTest::mouseClick(row, Qt::LeftButton, {}, QPoint(30, 8));
  QVERIFY((studio.editor().selection() == Selection{blockPart(1, 2), blockPart(2, 2)}));
  QVERIFY(studio.form().editorOf("block.mixer.h")->hasFocus());
  auto* fix = studio.shown<ProblemRow>()[0]->findChild<QPushButton*>(u"fix"_s);
  QCOMPARE(fix->text(), u"Set h to 4 in all 2"_s);
  fix->click();
  QCOMPARE(studio.document.undoStack().count(), 1);
  QCOMPARE(studio.stepText(), u"Set h to 4 in 2 places"_s);
  QCOMPARE(studio.shown<ProblemRow>().size(), 1);
  studio.actions.undoAction()->trigger();
  QVERIFY(studio.document.config() == config);
  // The fix in the form of both blocks is that of both.
  studio.form().findChild<QPushButton*>(u"fix"_s)->click();
  QCOMPARE(studio.document.problems().size(), 1u);
}

void TestDesignPanels::problemsCoverNoField() {
  RunConfig config = preset("resnet50-cifar-llll");
  int heads = 5;
  for (Stage& stage : config.architecture.stages) {
    stage.width += 1;
    for (Block& block : stage.blocks) std::get<LambdaMixer>(block.mixer).heads = heads++;
  }
  DesignStudio studio(config);
  studio.click(blockPart(1, 1));
  QApplication::sendPostedEvents();
  const auto* problems = studio.page->findChild<ProblemsPanel*>();
  QVERIFY(problems->height() > 30);
  const auto placeOf = [&](const QWidget& widget) {
    return QRect(widget.mapTo(studio.page, QPoint()), widget.size());
  };
  QVERIFY(!placeOf(*problems).intersects(placeOf(studio.page->properties())));
  QCOMPARE(studio.page->properties().height(), studio.splitter(u"columns"_s)->height());
}

void TestDesignPanels::aProblemLeadsToItsField() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  DesignStudio studio(config);
  QTest::mouseClick(studio.shown<ProblemRow>()[0], Qt::LeftButton, {}, QPoint(30, 8));
  QVERIFY((studio.editor().selection() == Selection{blockPart(2, 2)}));
  QWidget* field = studio.form().editorOf("block.mixer.h");
  QVERIFY(field->hasFocus());
  QCOMPARE(field->property("problem").toString(), u"error"_s);
  studio.page->showProblem("architecture.family");
  QVERIFY(studio.editor().selection().empty());
  QVERIFY(studio.form().editorOf("architecture.family")->hasFocus());
}

void TestDesignPanels::problemsOfTheRecipeLeadToTraining() {
  RunConfig config = preset("cpu-hybrid");
  config.recipe.batchSize = 60000;
  DesignStudio studio(config);
  QSignalSpy spy(studio.page, &DesignPage::trainRequested);
  ProblemRow* row = studio.shown<ProblemRow>().at(0);
  row->setFocus();
  QTest::keyClick(row, Qt::Key_Return);
  QCOMPARE(spy.size(), 1);
}

void TestDesignPanels::withoutProblemsThePanelSaysSo() {
  DesignStudio studio(preset("quickstart"));
  const auto labels = studio.shown<QLabel>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
    return label->isVisible() && label->text().startsWith(u"No problems"_s);
  }));
}

void TestDesignPanels::anEpochIsMeasuredAndGrowsOld() {
  RunConfig config = preset("cpu-hybrid");
  config.recipe.epochs = 12;
  DesignStudio studio(config);
  EpochTime& time = studio.page->totals().epochTime();
  QSignalSpy spy(&time, &EpochTime::changed);
  time.findChild<QPushButton*>()->click();
  QVERIFY(time.isMeasuring());
  QCOMPARE(time.findChild<QPushButton*>()->text(), u"Cancel"_s);
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(plain(time.text()), u"about 41 s per epoch, 12 epochs = 8 min 12 s, 1.10 GB"_s);
  RunConfig next = studio.document.config();
  next.recipe.epochs = 24;
  studio.document.edit(next, u"More epochs"_s);
  QVERIFY(plain(time.text()).contains(u"24 epochs = 16 min 24 s"_s));
  studio.turn(blockPart(1, 0));
  QCOMPARE(time.text(), u"not measured"_s);
  studio.actions.undoAction()->trigger();
  QVERIFY(plain(time.text()).contains(u"24 epochs = 16 min 24 s"_s));
}

void TestDesignPanels::theDataSetIsFoundWhereTrainFindsIt() {
  class Asked : public test::ScriptedEngine {
   public:
    std::string path;

    std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                         int steps,
                                                         RunControl& control,
                                                         Observer& observer) override {
      path = *pathOf(config.data.source);
      return ScriptedEngine::estimateThroughput(config, steps, control, observer);
    }
  };

  auto engine = std::make_shared<Asked>();
  EngineLanes lanes(engine);
  MachineService machine(lanes);
  TotalsBar totals(machine);
  const RunConfig config = preset("cpu-hybrid");
  totals.show(config, costOf(config.architecture), config, true);
  totals.epochTime().measure();
  QTRY_VERIFY(!totals.epochTime().isMeasuring());
  QCOMPARE(engine->path, standardDataFolder().string());
}

void TestDesignPanels::aMeasurementIsCancelled() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.engine->batchTime = std::chrono::milliseconds(20);
  EpochTime& time = studio.page->totals().epochTime();
  time.measure();
  QTRY_VERIFY(time.text().startsWith(u"Step "_s));
  time.findChild<QPushButton*>()->click();
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(time.text(), u"not measured"_s);
}

void TestDesignPanels::aMeasurementThatFailsSaysWhy() {
  class Failing : public test::ScriptedEngine {
   public:
    std::optional<ThroughputEstimate> estimateThroughput(const RunConfig&,
                                                         int,
                                                         RunControl&,
                                                         Observer&) override {
      throw Error("", "there is no memory left", "Use smaller batches.");
    }
  };

  EngineLanes lanes(std::make_shared<Failing>());
  MachineService machine(lanes);
  EpochTime time(machine);
  time.setConfig(preset("cpu-hybrid"));
  time.measure();
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(time.text(), u"Could not be measured"_s);
  const auto labels = time.findChildren<QLabel*>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
    return label->toolTip().contains(u"no memory left"_s);
  }));
}

void TestDesignPanels::brokenNetworksAreNotMeasured() {
  RunConfig config = preset("cpu-hybrid");
  config.architecture.stages[0].blocks.clear();
  DesignStudio studio(config);
  EpochTime& time = studio.page->totals().epochTime();
  QVERIFY(!time.findChild<QPushButton*>()->isEnabled());
  time.measure();
  QVERIFY(!time.isMeasuring());
}

void TestDesignPanels::whatMemoryCannotHoldIsNotMeasured() {
  RunConfig config = preset("cpu-hybrid");
  config.architecture.stages[0].width = 8192;
  config.architecture.stages[0].blocks.resize(256, config.architecture.stages[0].blocks[0]);
  DesignStudio studio(config);
  QVERIFY(studio.total(u"Memory"_s)->difference().startsWith(u"of "_s));
  EpochTime& time = studio.page->totals().epochTime();
  QVERIFY(!time.canMeasure());
  QVERIFY(time.findChild<QPushButton*>()->toolTip().contains(u"memory"_s));
  time.measure();
  QVERIFY(!time.isMeasuring());
}

void TestDesignPanels::allTemplatesAreOffered() {
  DesignStudio studio(preset("quickstart"));
  studio.page->showTemplates(true);
  const auto cards = studio.page->findChildren<TemplateCard*>();
  QCOMPARE(cards.size(), static_cast<qsizetype>(presetNames().size()));
  for (TemplateCard* card : cards) {
    QVERIFY(card->isVisible());
    QVERIFY(!card->text().isEmpty() && !card->accessibleDescription().isEmpty());
  }
  QVERIFY(cards[0]->hasFocus());
  QTest::keyClick(cards[0], Qt::Key_Escape);
  QVERIFY(!cards[0]->isVisible());
}

void TestDesignPanels::arrowKeysMoveAmongTheTemplatesAsTheyLie() {
  DesignStudio studio(preset("quickstart"));
  studio.editor().setFocus();
  studio.page->showTemplates(true);
  const QWidget* first = QApplication::focusWidget();
  const auto moved = [](Qt::Key key) {
    QTest::keyClick(QApplication::focusWidget(), key);
    return QApplication::focusWidget();
  };
  const QWidget* second = moved(Qt::Key_Right);
  QVERIFY(second->x() > first->x() && second->y() == first->y());
  const QWidget* below = moved(Qt::Key_Down);
  QVERIFY(below->x() == second->x() && below->y() > second->y());
  QCOMPARE(moved(Qt::Key_Up), second);
  // The row below may belong to the next group.
  for (int y = second->y(); const QWidget* card = moved(Qt::Key_Down); y = card->y()) {
    if (card->y() == y) break;
    QVERIFY(card->y() > y);
  }
  moved(Qt::Key_Escape);
  QVERIFY(studio.editor().hasFocus());
}

void TestDesignPanels::typedTextLeavesTheTemplatesThatContainIt() {
  DesignStudio studio(preset("quickstart"));
  studio.page->showTemplates(true);
  QTest::keyClicks(QApplication::focusWidget(), u"Lambda-ResNet-1"_s);
  auto* gallery = studio.page->findChild<TemplateGallery*>();
  auto* filter = gallery->findChild<QLineEdit*>();
  QVERIFY(filter->hasFocus());
  QCOMPARE(filter->text(), u"Lambda-ResNet-1"_s);
  QStringList left;
  for (TemplateCard* card : gallery->findChildren<TemplateCard*>()) {
    if (card->isVisible()) left << QString::fromStdString(card->shown().name);
  }
  QCOMPARE(left,
           (QStringList{u"lambda-resnet-101"_s,
                        u"lambda-resnet-152"_s,
                        u"lambda-resnet-101-c4"_s,
                        u"lambda-resnet-152-c4"_s}));
  QTest::keyClick(filter, Qt::Key_Return);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  QCOMPARE(studio.document.config().architecture.name, "LambdaResNet-101"s);
}

void TestDesignPanels::aTemplateOverChangesAsksFirst() {
  DesignStudio studio(preset("quickstart"));
  studio.turn(blockPart(0, 0));
  const RunConfig mine = studio.document.config();
  studio.page->showTemplates(true);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  QVERIFY(studio.document.config() == mine);
  auto* question = studio.page->window()->findChild<QMessageBox*>();
  QVERIFY(question && question->isVisible());
  question->button(QMessageBox::Discard)->click();
  QVERIFY(studio.document.config().architecture == preset("cpu-hybrid").architecture);
  QVERIFY(!studio.document.isModified());
}

void TestDesignPanels::aTemplateOverNothingStartsAnew() {
  DesignStudio studio(preset("quickstart"));
  QVERIFY(studio.document.saveAs(studio.folder.filePath(u"a.json"_s)).isEmpty());
  studio.page->showTemplates(true);
  studio.page->findChildren<TemplateCard*>()[1]->click();
  // Saving must not write the template over the file that was open.
  QVERIFY(studio.document.path().isEmpty());
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
}

void TestDesignPanels::theGalleryLeavesWhenTheNetworkIsClicked() {
  DesignStudio studio(preset("quickstart"));
  studio.page->showTemplates(true);
  auto* gallery = studio.page->findChild<TemplateGallery*>();
  QVERIFY(gallery->isVisible());
  studio.editor().setFocus();
  QVERIFY(!gallery->isVisible());
}

}  // namespace lambda

QTEST_MAIN(lambda::TestDesignPanels)
#include "tst_design_panels.moc"
