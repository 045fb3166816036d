#include <QLabel>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "app/inspect/panels/image_panel.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestInspectLive : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void theRunningTrainingIsShownFirstAndSaidLarge();
  void theRunningTrainingIsInspectedAgainAndAgain();
  void aPausedTrainingAnswersAndAnEndedOneGivesWayToItsCheckpoint();

 private:
  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectLive::theRunningTrainingIsShownFirstAndSaidLarge() {
  const RunSummary old = stage_->writtenRun("old");
  stage_->page().setRuns({old});
  QTRY_COMPARE(stage_->feed().source().kind, SourceKind::checkpoint);
  stage_->page().hide();
  stage_->engine->batchTime = std::chrono::milliseconds(2);
  RunConfig config = smallRecord("live").config;
  config.recipe.epochs = 2000;
  stage_->training.start(config, stage_->library());
  QTRY_COMPARE(stage_->feed().source().kind, SourceKind::live);
  stage_->page().show();
  const auto announcement = [this]() -> const ElidedLabel* {
    for (const auto* label : stage_->page().findChildren<ElidedLabel*>()) {
      if (label->isVisible() && label->fullText().startsWith(u"Live: "_s)) return label;
    }
    return nullptr;
  };
  QTRY_VERIFY(announcement());
  QCOMPARE(announcement()->property(kRole).toString(), u"heading"_s);
  QCOMPARE(announcement()->text(), announcement()->fullText());
}

void TestInspectLive::theRunningTrainingIsInspectedAgainAndAgain() {
  stage_->engine->batchTime = std::chrono::milliseconds(5);
  stage_->engine->batchesPerEpoch = 5;
  RunConfig config = smallRecord("live").config;
  config.recipe.epochs = 2000;
  stage_->training.start(config, stage_->library());
  // An empty page selects the running training.
  QTRY_COMPARE(stage_->feed().source().kind, SourceKind::live);
  QSignalSpy arrived(&stage_->feed(), &SnapshotFeed::arrived);
  QTRY_VERIFY(arrived.count() >= 3);
  const auto stepOf = [&](qsizetype index) {
    return arrived[index][0].value<std::shared_ptr<const InspectionSnapshot>>()->step;
  };
  QVERIFY(stepOf(arrived.count() - 1) > stepOf(0));
  const QRegularExpression age(u"^Live: step [\\d,]+, (\\d\\.\\d s old|up to date)$"_s);
  const auto says = [&](const QRegularExpression& text) {
    for (const QLabel* label : stage_->page().findChildren<QLabel*>()) {
      if (text.match(label->text()).hasMatch()) return true;
    }
    return false;
  };
  QTRY_VERIFY(says(age));
  // A hidden page requests no inspections, although every epoch is a reason for one.
  stage_->page().hide();
  const auto passEpochs = [this](int count) {
    const int until = stage_->training.status().epoch + count;
    QTRY_VERIFY(stage_->training.status().epoch >= until);
  };
  passEpochs(2);  // An answer may be under way.
  const qsizetype before = arrived.count();
  passEpochs(10);
  QCOMPARE(arrived.count(), before);
}

void TestInspectLive::aPausedTrainingAnswersAndAnEndedOneGivesWayToItsCheckpoint() {
  stage_->engine->batchTime = std::chrono::milliseconds(2);
  stage_->engine->batchesPerEpoch = 5;
  RunConfig config = smallRecord("live").config;
  config.recipe.epochs = 500;
  stage_->training.start(config, stage_->library());
  QTRY_COMPARE(stage_->feed().source().kind, SourceKind::live);
  QTRY_VERIFY(stage_->training.status().epoch >= 3);
  stage_->training.pause();
  QTRY_COMPARE(stage_->training.state(), SessionState::paused);
  Q_EMIT stage_->part<ImagePanel>().queryChosen(0, 5);
  QTRY_VERIFY(stage_->feed().snapshot() && stage_->seen().queryColumn == 5);
  QCOMPARE(stage_->feed().ageSeconds(), 0.0);
  stage_->training.stop();
  QTRY_COMPARE(stage_->feed().source().kind, SourceKind::checkpoint);
  QCOMPARE(stage_->feed().source().run, stage_->training.status().run);
  QTRY_VERIFY(stage_->feed().snapshot());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectLive)
#include "tst_inspect_live.moc"
