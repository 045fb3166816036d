#include <memory>
#include <string>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QSplitter>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/design/design_page.h"
#include "app/design/epoch_time.h"
#include "app/design/problem_row.h"
#include "app/design/property_panel.h"
#include "app/design/template_card.h"
#include "app/design/template_gallery.h"
#include "app/design/total_cell.h"
#include "app/design/totals_bar.h"
#include "app/session/document_actions.h"
#include "app/session/inspection_session.h"
#include "app/session/project_document.h"
#include "engine/formats/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/cost.h"
#include "tests/support/scripted_engine.h"
#include "widgets/forms/field_form.h"
#include "widgets/forms/number_box.h"
#include "widgets/network/network_editor.h"
#include "widgets/network/quantity_text.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

RunConfig preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings);
}

/// A window with the page, as the program has it.
class Studio {
 public:
  explicit Studio(const RunConfig& start, QSize size = {1208, 730})
      : engine(std::make_shared<test::ScriptedEngine>()),
        inspection(engine),
        actions(document, folder.filePath(u"recovery"_s), window) {
    document.startFrom(start);
    page = new DesignPage(document, inspection, actions, &window);
    page->resize(size);
    window.resize(size);
    window.show();
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window)) qFatal("the window does not become active");
    page->setFocus();
  }

  ~Studio() { delete page; }

  NetworkEditor& editor() { return page->editor(); }

  FieldForm& form() { return page->properties().form(); }

  QPoint at(const PartId& part) {
    const QRectF box = editor().boxOf(part);
    return QPointF(box.left() + box.width() / 3, box.top() + 8).toPoint();
  }

  void click(const PartId& part) {
    QTest::mouseClick(editor().viewport(), Qt::LeftButton, {}, at(part));
  }

  void doubleClick(const PartId& part) {
    QTest::mouseDClick(editor().viewport(), Qt::LeftButton, {}, at(part));
  }

  template <class Row>
  QList<Row*> shown() const {
    QList<Row*> rows;
    for (Row* row : page->findChildren<Row*>()) {
      if (!row->isHidden()) rows << row;
    }
    return rows;
  }

  TotalCell* total(const QString& name) {
    for (TotalCell* cell : page->findChildren<TotalCell*>()) {
      for (QLabel* label : cell->findChildren<QLabel*>()) {
        if (label->text().startsWith(name)) return cell;
      }
    }
    return nullptr;
  }

  QString stepText() { return document.undoStack().undoText(); }

  QTemporaryDir folder;
  QWidget window;
  std::shared_ptr<test::ScriptedEngine> engine;
  ProjectDocument document;
  InspectionSession inspection;
  DocumentActions actions;
  DesignPage* page;
};

QString plain(QString text) {
  return text.replace(QChar(0xa0), u' ');
}

}  // namespace

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
  void totalsAreTheCostModels();
  void differencesAreThoseToTheSavedVersion();
  void aFixClearsItsFinding();
  void aProblemLeadsToItsField();
  void problemsOfTheRecipeLeadToTraining();
  void withoutProblemsThePanelSaysSo();
  void anEpochIsMeasuredAndGrowsOld();
  void aMeasurementIsCancelled();
  void aMeasurementThatFailsSaysWhy();
  void brokenNetworksAreNotMeasured();
  void allTemplatesAreOffered();
  void aTemplateOverChangesCanBeUndone();
  void aTemplateOverNothingStartsAnew();
  void theGalleryLeavesWhenTheNetworkIsClicked();
  void trainIsAskedFor();
  void theLayoutIsRemembered();
  void theThemeChangesWhileItIsShown();
  void lettersInFieldsAreText();
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
  Studio studio(preset("resnet50-cifar"));
  for (const int block : {0, 1, 2}) studio.doubleClick(blockPart(3, block));
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
  Studio studio(preset("resnet50-cifar"));
  studio.editor().setTool(EditTool::paintLambda);
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
  Studio studio(preset("cpu-hybrid"));
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
  Studio studio(preset("cpu-hybrid"));
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
  QCOMPARE(box->text(), u"128"_s);
}

void TestDesignPage::severalBlocksAreEditedAtOnce() {
  Studio studio(preset("cpu-hybrid"));
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
  Studio studio(preset("cpu-hybrid"));
  studio.click(blockPart(1, 0));
  auto* combo = qobject_cast<QComboBox*>(studio.form().editorOf("block.mixer.kind"));
  combo->setFocus();
  QTest::keyClick(combo, Qt::Key_Down);
  QCOMPARE(patternOf(studio.document.config().architecture), "C-LCL-CCL"s);
  QVERIFY(studio.form().editorOf("block.mixer.k"));
  QVERIFY(combo->hasFocus());
}

void TestDesignPage::totalsAreTheCostModels() {
  Studio studio(preset("cpu-hybrid"));
  studio.doubleClick(blockPart(1, 0));
  const RunConfig& config = studio.document.config();
  const NetworkCost cost = costOf(config.architecture);
  QCOMPARE(studio.total(u"Pattern"_s)->value(), u"C-LCL-CCL"_s);
  QCOMPARE(studio.total(u"Parameters"_s)->value(), shortCount(cost.parameters));
  QCOMPARE(studio.total(u"FLOPs"_s)->value(), shortCount(cost.flops));
  QCOMPARE(studio.total(u"Activations, batch of 256"_s)->value(),
           shortBytes(cost.activationBytes * 256, 3));
  QCOMPARE(studio.total(u"Memory"_s)->value(), shortBytes(trainingBytes(cost, 256, 1), 3));
}

void TestDesignPage::differencesAreThoseToTheSavedVersion() {
  Studio studio(preset("cpu-hybrid"));
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
  studio.doubleClick(blockPart(2, 1));
  const long long saved = costOf(studio.document.savedConfig().architecture).parameters;
  const long long now = costOf(studio.document.config().architecture).parameters;
  QVERIFY(now < saved);
  QCOMPARE(studio.total(u"Parameters"_s)->difference(), u"−"_s + shortCount(saved - now));
  QVERIFY(studio.document.saveAs(studio.folder.filePath(u"a.json"_s)).isEmpty());
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
  studio.actions.undoAction()->trigger();
  QCOMPARE(studio.total(u"Parameters"_s)->difference(), u"+"_s + shortCount(saved - now));
}

void TestDesignPage::aFixClearsItsFinding() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(1, 2)).mixer).heads = 5;
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  Studio studio(config);
  QCOMPARE(studio.shown<ProblemRow>().size(), 2);
  studio.shown<ProblemRow>()[0]->findChild<QPushButton*>(u"fix"_s)->click();
  QCOMPARE(studio.shown<ProblemRow>().size(), 1);
  QCOMPARE(studio.stepText(), u"Set h to 4"_s);
  studio.click(blockPart(2, 2));
  studio.form().findChild<QPushButton*>(u"fix"_s)->click();
  QVERIFY(studio.document.problems().empty());
  QVERIFY(studio.shown<ProblemRow>().isEmpty());
  studio.actions.undoAction()->trigger();
  QCOMPARE(studio.shown<ProblemRow>().size(), 1);
}

void TestDesignPage::aProblemLeadsToItsField() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  Studio studio(config);
  QTest::mouseClick(studio.shown<ProblemRow>()[0], Qt::LeftButton, {}, QPoint(30, 8));
  QVERIFY((studio.editor().selection() == Selection{blockPart(2, 2)}));
  QWidget* field = studio.form().editorOf("block.mixer.h");
  QVERIFY(field->hasFocus());
  QCOMPARE(field->property("problem").toString(), u"error"_s);
  studio.page->showProblem("architecture.family");
  QVERIFY(studio.editor().selection().empty());
  QVERIFY(studio.form().editorOf("architecture.family")->hasFocus());
}

void TestDesignPage::problemsOfTheRecipeLeadToTraining() {
  RunConfig config = preset("cpu-hybrid");
  config.recipe.batchSize = 60000;
  Studio studio(config);
  QSignalSpy spy(studio.page, &DesignPage::trainRequested);
  ProblemRow* row = studio.shown<ProblemRow>().at(0);
  row->setFocus();
  QTest::keyClick(row, Qt::Key_Return);
  QCOMPARE(spy.size(), 1);
}

void TestDesignPage::withoutProblemsThePanelSaysSo() {
  Studio studio(preset("quickstart"));
  const auto labels = studio.shown<QLabel>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
    return label->isVisible() && label->text().startsWith(u"No problems"_s);
  }));
}

void TestDesignPage::anEpochIsMeasuredAndGrowsOld() {
  Studio studio(preset("cpu-hybrid"));
  EpochTime& time = studio.page->totals().epochTime();
  QSignalSpy spy(&time, &EpochTime::changed);
  time.findChild<QPushButton*>()->click();
  QVERIFY(time.isMeasuring());
  QCOMPARE(time.findChild<QPushButton*>()->text(), u"Cancel"_s);
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(plain(time.text()), u"about 41 s an epoch, 12 epochs = 8 min, 1.1 GB"_s);
  QVERIFY(!time.isOutdated());
  RunConfig next = studio.document.config();
  next.recipe.epochs = 24;
  studio.document.edit(next, u"More epochs"_s);
  QVERIFY(!time.isOutdated());
  QVERIFY(plain(time.text()).contains(u"24 epochs = 16 min"_s));
  studio.doubleClick(blockPart(1, 0));
  QVERIFY(time.isOutdated());
  QVERIFY(time.text().startsWith(u"before the change"_s));
  studio.actions.undoAction()->trigger();
  QVERIFY(!time.isOutdated());
}

void TestDesignPage::aMeasurementIsCancelled() {
  Studio studio(preset("cpu-hybrid"));
  studio.engine->batchTime = std::chrono::milliseconds(20);
  EpochTime& time = studio.page->totals().epochTime();
  time.measure();
  QTRY_VERIFY(time.text().startsWith(u"Step "_s));
  time.findChild<QPushButton*>()->click();
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(time.text(), u"not measured"_s);
}

void TestDesignPage::aMeasurementThatFailsSaysWhy() {
  class Failing : public test::ScriptedEngine {
   public:
    std::optional<Calibration> calibrate(const RunConfig&, int, RunControl&, Observer&) override {
      throw Error("", "there is no memory left", "Use smaller batches.");
    }
  };

  InspectionSession inspection(std::make_shared<Failing>());
  EpochTime time(inspection);
  time.setConfig(preset("cpu-hybrid"), true);
  time.measure();
  QTRY_VERIFY(!time.isMeasuring());
  QCOMPARE(time.text(), u"Could not be measured"_s);
  const auto labels = time.findChildren<QLabel*>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
    return label->toolTip().contains(u"no memory left"_s);
  }));
}

void TestDesignPage::brokenNetworksAreNotMeasured() {
  RunConfig config = preset("cpu-hybrid");
  config.architecture.stages[0].blocks.clear();
  Studio studio(config);
  EpochTime& time = studio.page->totals().epochTime();
  QVERIFY(!time.findChild<QPushButton*>()->isEnabled());
  time.measure();
  QVERIFY(!time.isMeasuring());
}

void TestDesignPage::allTemplatesAreOffered() {
  Studio studio(preset("quickstart"));
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

void TestDesignPage::aTemplateOverChangesCanBeUndone() {
  Studio studio(preset("quickstart"));
  studio.doubleClick(blockPart(0, 0));
  const RunConfig mine = studio.document.config();
  studio.page->showTemplates(true);
  studio.page->findChildren<TemplateCard*>()[1]->click();
  QVERIFY(studio.document.config().architecture == preset("cpu-hybrid").architecture);
  QCOMPARE(studio.stepText(), u"Start from CPU hybrid"_s);
  studio.actions.undoAction()->trigger();
  QVERIFY(studio.document.config() == mine);
}

void TestDesignPage::aTemplateOverNothingStartsAnew() {
  Studio studio(preset("quickstart"));
  QVERIFY(studio.document.saveAs(studio.folder.filePath(u"a.json"_s)).isEmpty());
  studio.page->showTemplates(true);
  studio.page->findChildren<TemplateCard*>()[1]->click();
  // Saving must not write the template over the file that was open.
  QVERIFY(studio.document.path().isEmpty());
  QVERIFY(studio.total(u"Parameters"_s)->difference().isEmpty());
}

void TestDesignPage::theGalleryLeavesWhenTheNetworkIsClicked() {
  Studio studio(preset("quickstart"));
  studio.page->showTemplates(true);
  auto* gallery = studio.page->findChild<TemplateGallery*>();
  QVERIFY(gallery->isVisible());
  studio.editor().setFocus();
  QVERIFY(!gallery->isVisible());
}

void TestDesignPage::trainIsAskedFor() {
  Studio studio(preset("quickstart"));
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
  {
    Studio studio(preset("quickstart"));
    studio.page->findChild<QSplitter*>()->setSizes({700, 508});
    studio.page->saveLayout(settings);
  }
  Studio studio(preset("quickstart"));
  studio.page->restoreLayout(settings);
  QVERIFY(std::abs(studio.page->findChild<QSplitter*>()->sizes()[0] - 700) <= 2);
}

void TestDesignPage::theThemeChangesWhileItIsShown() {
  RunConfig config = preset("cpu-hybrid");
  std::get<LambdaMixer>(blockOf(config.architecture, blockPart(2, 2)).mixer).heads = 7;
  Studio studio(config);
  studio.click(blockPart(2, 2));
  const auto grab = [&] {
    // Layouts ask for others in turn.
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
  Studio studio(preset("cpu-hybrid"));
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
  QTest::keyClick(kind, Qt::Key_Plus);
  QTest::keyClick(kind, Qt::Key_Delete);
  QCOMPARE(allBlocks(studio.document.config().architecture).size(), allBlocks(before).size());
}

void TestDesignPage::everyActionHasTextAndTip() {
  Studio studio(preset("quickstart"));
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
  Studio studio(config);
  studio.editor().setSelection({blockPart(2, 0)});
  QElapsedTimer timer;
  timer.start();
  constexpr int kTimes = 10;
  for (int i = 0; i < kTimes; ++i) studio.editor().toggle();
  // Of 50 ms that an edit may take; measured are 3.
  QVERIFY2(timer.elapsed() / kTimes < 50, qPrintable(QString::number(timer.elapsed())));
}

}  // namespace lambda

QTEST_MAIN(lambda::TestDesignPage)
#include "tst_design_page.moc"
