#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QtTest/QtTest>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/prediction_panel.h"
#include "engine/runtime/error.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kReadingImages = 30000;  // milliseconds for a thread of low priority, at most

}  // namespace

class TestInspectPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void anEmptyPageOffersToTrainAndToOpenARun();
  void aRunsFirstLayerIsShownWithItsNumbers();
  void aNetworkWithoutLambdaLayersShowsItsImageAndPrediction();
  void missingDataIsNamedAndInspectionContinues();
  void aDamagedCheckpointSaysWhatToDoAndCanBeTriedAgain();
  void aRemovedCheckpointSaysThatItIsGone();
  void theLayoutIsRemembered();
  void everyActionHasATextAndAToolTip();

 private:
  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectPage::anEmptyPageOffersToTrainAndToOpenARun() {
  QSignalSpy train(&stage_->page(), &InspectPage::trainRequested);
  QSignalSpy runs(&stage_->page(), &InspectPage::runsRequested);
  auto& empty = stage_->part<EmptyState>();
  QVERIFY(empty.isVisible());
  QCOMPARE(empty.title(), u"Nothing to inspect yet"_s);
  const auto buttons = empty.findChildren<QPushButton*>();
  buttons[0]->click();
  buttons[1]->click();
  QCOMPARE(train.count(), 1);
  QCOMPARE(runs.count(), 1);
  QVERIFY(!stage_->part<ImagePicker>().isVisible());
}

void TestInspectPage::aRunsFirstLayerIsShownWithItsNumbers() {
  const RunSummary run = stage_->writtenRun("hybrid");
  stage_->page().setRuns({run});
  // The newest run is shown automatically.
  QSignalSpy arrived(&stage_->feed(), &SnapshotFeed::arrived);
  QVERIFY(arrived.wait());
  auto& layers = stage_->part<LayerList>();
  QCOMPARE(layers.count(), 2);
  QCOMPARE(layers.item(0)->text(), u"stage1.block2"_s);
  QCOMPARE(layers.currentLayer(), std::string("stage1.block2.mixer"));
  QCOMPARE(layerSummary(layers.layers()[0]), u"8×8 · k4 h2 u1"_s);
  const InspectionSnapshot expected = exampleAnswer(
      run.record.config, stage_->engine->inspections().front(), 0, run.record.epochsDone);
  QCOMPARE(stage_->part<LambdaPanel>().total().data().array, expected.lambdas.total);
  QCOMPARE(stage_->part<ImagePanel>().image().query(), std::optional(Cell{4, 4}));
  QVERIFY(stage_->part<ImagePanel>().facts().residualText().startsWith(u'✓'));
  QVERIFY(stage_->part<ImagePanel>().predictionWords().contains(u"predicted dog"_s));
  QVERIFY(stage_->part<ImagePanel>().predictionWords().contains(u"62 %"_s));
  // The image lies beside the contributions, and both choose the query.
  QVERIFY(stage_->part<ImagePanel>().plain().isVisible());
  QCOMPARE(stage_->part<ImagePanel>().plain().query(), stage_->part<ImagePanel>().image().query());
  // The small picture of the other layer appears automatically.
  QTRY_VERIFY(!layers.item(1)->data(Qt::UserRole).value<QImage>().isNull());
}

void TestInspectPage::aNetworkWithoutLambdaLayersShowsItsImageAndPrediction() {
  RunRecord record = smallRecord("convolutions");
  for (Stage& stage : record.config.architecture.stages) {
    for (Block& block : stage.blocks) block.mixer = ConvolutionMixer{};
  }
  stage_->page().showRun(writeSummary(stage_->library(), "convolutions", record).path);
  auto& prediction = stage_->part<PredictionPanel>();
  QTRY_COMPARE_WITH_TIMEOUT(
      stage_->part<ImagePicker>().grid().shown().size(), std::size_t{20}, kReadingImages);
  QVERIFY(!stage_->part<LayerList>().isVisible());
  QVERIFY(stage_->engine->inspections().empty());
  QVERIFY(prediction.isVisible());
  prediction.findChild<QPushButton*>()->click();
  QTRY_VERIFY(prediction.verdict().startsWith(u"Wrong"_s));
  Q_EMIT stage_->part<ImagePicker>().imageChosen(1);
  QVERIFY(prediction.verdict().startsWith(u"Correct"_s));
  QCOMPARE(stage_->part<ImagePanel>().predictionWords(), prediction.verdict());
}

void TestInspectPage::missingDataIsNamedAndInspectionContinues() {
  RunRecord record = smallRecord("elsewhere");
  record.config.data.source = Cifar10Source{"/nowhere/cifar10"};
  stage_->show(writeSummary(stage_->library(), "elsewhere", record));
  const auto& grid = stage_->part<ImagePicker>().grid();
  QTRY_VERIFY_WITH_TIMEOUT(grid.placeholder().contains(u"/nowhere/cifar10"_s), kReadingImages);
  QVERIFY(stage_->part<ImagePanel>().isVisible());
}

void TestInspectPage::aDamagedCheckpointSaysWhatToDoAndCanBeTriedAgain() {
  stage_->answerWith([](const auto&, const auto&, auto, int) -> InspectionSnapshot {
    throw Error("best.safetensors", "the file is cut off", "use an older checkpoint");
  });
  stage_->page().showRun(stage_->writtenRun("damaged").path);
  const auto failure = [this]() -> EmptyState* {
    for (auto* state : stage_->page().findChildren<EmptyState*>()) {
      if (state->isVisible()) return state;
    }
    return nullptr;
  };
  QTRY_VERIFY(failure() && failure()->text().contains(u"the file is cut off"_s));
  QVERIFY(failure()->text().contains(u"use an older checkpoint"_s));
  stage_->answerWith(exampleAnswer);
  failure()->findChild<QPushButton*>()->click();
  QTRY_VERIFY(!failure());
  QVERIFY(stage_->part<ImagePanel>().isVisible());
}

void TestInspectPage::aRemovedCheckpointSaysThatItIsGone() {
  const RunSummary run = stage_->writtenRun("hybrid");
  stage_->show(run);
  std::filesystem::remove(run.path / "checkpoints" / "best.safetensors");
  stage_->answerWith([](const auto&, const auto&, auto, int) -> InspectionSnapshot {
    throw Error("best.safetensors", "there is no such run folder", "give the folder");
  });
  Q_EMIT stage_->part<ImagePanel>().queryChosen(1, 1);
  const auto says = [this] {
    for (const auto* state : stage_->page().findChildren<EmptyState*>()) {
      if (state->isVisible() && state->text().contains(u"is no longer there"_s)) return true;
    }
    return false;
  };
  QTRY_VERIFY(says());
}

void TestInspectPage::theLayoutIsRemembered() {
  QSettings settings(stage_->folder.filePath(u"settings.ini"_s), QSettings::IniFormat);
  stage_->part<QTabWidget>().setCurrentIndex(2);
  stage_->part<ImagePanel>().setQuantity(ContributionKind::position);
  stage_->part<ImagePanel>().setOpacity(0.25);
  stage_->part<LambdaPanel>().setOneScale(false);
  stage_->page().saveLayout(settings);
  InspectPage other(stage_->training, stage_->checkpoints);
  other.restoreLayout(settings);
  QCOMPARE(other.findChild<QTabWidget*>()->currentIndex(), 2);
  QCOMPARE(other.findChild<ImagePanel*>()->quantity(), ContributionKind::position);
  QCOMPARE(other.findChild<ImagePanel*>()->opacity(), 0.25);
  QVERIFY(!other.findChild<LambdaPanel*>()->isOneScale());
  QSettings nothing(stage_->folder.filePath(u"none.ini"_s), QSettings::IniFormat);
  other.restoreLayout(nothing);
  QCOMPARE(other.findChild<ImagePanel*>()->quantity(), ContributionKind::total);
}

void TestInspectPage::everyActionHasATextAndAToolTip() {
  QSet<QString> keys;
  for (const QAction* action : stage_->page().pageActions()) {
    if (action == nullptr) continue;
    QVERIFY(!action->text().isEmpty());
    QVERIFY(!action->toolTip().isEmpty());
    QVERIFY(stage_->page().actions().contains(const_cast<QAction*>(action)));
    const QString key = action->shortcut().toString();
    QVERIFY2(key.isEmpty() || !keys.contains(key), qPrintable(key));
    keys << key;
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectPage)
#include "tst_inspect_page.moc"
