#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/compare/compare_side.h"
#include "app/inspect/compare/comparison.h"
#include "app/inspect/compare/difference_column.h"
#include "app/inspect/images/image_picker.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestInspectCompare : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void itBeginsWithTheTwoCheckedRuns();
  void otherNumbersOfCheckedRunsAndRunsWithoutCheckpointsAreNoPair();
  void whatThePersonChoseStaysUntilOtherRunsAreChecked();
  void panesKeepTheirPlaces();
  void comparedSidesShareImageQueryAndScale();
  void layersOfDifferentSizesAreComparedWithoutADifference();
  void attentionAndLambdasAreComparedAsShares();
  void aFailureReplacesTheOlderPicturesOfItsSide();
  void aRunThatIsGoneLeavesNoPictures();
  void aDifferenceNamesBothSides();
  void aRunWithoutCheckpointsIsRefusedWithItsReason();

 private:
  /// The checkpoint of a side, with its run's name: "first/best".
  static QString shownBy(CompareSide& side) {
    const InspectionSource& source = side.feed().source();
    return QString::fromStdString(source.record.config.name + "/" +
                                  source.checkpoint.stem().string());
  }

  Comparison& comparison() { return stage_->part<Comparison>(); }

  /// Compares "first" with "second", and waits for their difference.
  void compareTwoRuns();

  /// Every later inspection of this run fails.
  void failFor(const std::string& run);

  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectCompare::compareTwoRuns() {
  const RunSummary first = stage_->writtenRun("first"), second = stage_->writtenRun("second");
  stage_->page().setRuns({first, second});
  stage_->show(first);
  stage_->answerWith([](const auto& config, const auto& request, auto step, int epoch) {
    return exampleAnswer(config, request, step + (config.name == "second" ? 5 : 0), epoch);
  });
  stage_->page().setCheckedRuns({first.path, second.path});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_VERIFY(comparison().difference().map().data().tileCount() > 0);
}

void TestInspectCompare::failFor(const std::string& run) {
  stage_->answerWith([run](const auto& config, const auto& request, auto step, int epoch) {
    if (config.name == run) throw std::runtime_error("the disk is gone");
    return exampleAnswer(config, request, step, epoch);
  });
}

void TestInspectCompare::itBeginsWithTheTwoCheckedRuns() {
  const RunSummary first = stage_->writtenRun("first"), second = stage_->writtenRun("second"),
                   third = stage_->writtenRun("third");
  stage_->page().setRuns({first, second, third});
  stage_->show(first);
  stage_->page().setCheckedRuns({second.path, third.path});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().left()), u"second/best"_s);
  QTRY_COMPARE(shownBy(comparison().right()), u"third/best"_s);
}

void TestInspectCompare::otherNumbersOfCheckedRunsAndRunsWithoutCheckpointsAreNoPair() {
  const RunSummary first = stage_->writtenRun("first"), second = stage_->writtenRun("second");
  stage_->page().setRuns({first, second});
  stage_->show(first);
  stage_->page().setCheckedRuns({second.path});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().left()), u"first/epoch-0002"_s);
  QTRY_COMPARE(shownBy(comparison().right()), u"first/last"_s);
  // An imported log has no weights.
  stage_->page().setMode(InspectModeKind::image);
  stage_->page().setCheckedRuns({second.path, stage_->library() / "log"});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().left()), u"first/epoch-0002"_s);
  QTRY_COMPARE(shownBy(comparison().right()), u"first/last"_s);
}

void TestInspectCompare::whatThePersonChoseStaysUntilOtherRunsAreChecked() {
  const RunSummary first = stage_->writtenRun("first"), second = stage_->writtenRun("second"),
                   third = stage_->writtenRun("third");
  stage_->page().setRuns({first, second, third});
  stage_->show(first);
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(comparison().right().chooser().source().run, first.path);
  comparison().right().chooser().showRun(third.path);
  QTRY_COMPARE(comparison().right().chooser().source().run, third.path);
  stage_->page().setMode(InspectModeKind::image);
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().right()), u"third/best"_s);
  stage_->page().setMode(InspectModeKind::image);
  stage_->page().setCheckedRuns({first.path, second.path});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().right()), u"second/best"_s);
}

void TestInspectCompare::panesKeepTheirPlaces() {
  const RunSummary first = stage_->writtenRun("first");
  RunRecord other = smallRecord("second");
  other.config.data.splitSeed = 3;
  const RunSummary second = writeSummary(stage_->library(), "second", other);
  stage_->page().setRuns({first, second});
  stage_->show(first);
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_VERIFY(comparison().difference().embeddings().data().tileCount() > 0);
  const std::vector<const QWidget*> panes{&comparison().left().image(),
                                          &comparison().left().lambdaView(),
                                          &comparison().left().embeddingsView(),
                                          &comparison().right().image(),
                                          &comparison().right().lambdaView(),
                                          &comparison().right().embeddingsView(),
                                          &comparison().difference().map(),
                                          &comparison().difference().lambda(),
                                          &comparison().difference().embeddings()};
  const auto places = [&] {
    std::vector<QRect> found;
    for (const QWidget* pane : panes) {
      found.emplace_back(pane->mapTo(&comparison(), QPoint()), pane->size());
    }
    return found;
  };
  const std::vector<QRect> before = places();
  for (std::size_t i = 0; i < 3; ++i) {
    QCOMPARE(before[i + 3].top(), before[i].top());
    QCOMPARE(before[i + 6].top(), before[i].top());
    QCOMPARE(before[i + 6].height(), before[i].height());
  }
  // A failure, then another run with other images and longer words.
  failFor("second");
  comparison().right().chooser().showRun(second.path);
  QTRY_VERIFY(comparison().right().image().placeholder().contains(u"the disk is gone"_s));
  QCOMPARE(places(), before);
  stage_->answerWith([](const auto& config, const auto& request, auto step, int epoch) {
    InspectionSnapshot s = exampleAnswer(config, request, step, epoch);
    s.classNames[5] = "a dog that somebody described with more words than one line can hold";
    s.image.rgb[0] = config.name == "second" ? 1 : 2;
    return s;
  });
  comparison().setQuery(0.1, 0.1);
  const auto isAtTop = [](CompareSide& side) {
    return side.snapshot() && side.snapshot()->queryRow == 0;
  };
  QTRY_VERIFY(isAtTop(comparison().left()) && isAtTop(comparison().right()));
  QCOMPARE(places(), before);
}

void TestInspectCompare::comparedSidesShareImageQueryAndScale() {
  const RunSummary first = stage_->writtenRun("first");
  RunSummary second = stage_->writtenRun("second");
  stage_->page().setRuns({first, second});
  stage_->show(first);
  stage_->page().setMode(InspectModeKind::compare);
  auto& comparison = stage_->part<Comparison>();
  const auto bothAt = [&](int row, int column) {
    const auto left = comparison.left().snapshot(), right = comparison.right().snapshot();
    return left && right && left->queryRow == row && right->queryRow == row &&
           left->queryColumn == column && right->queryColumn == column;
  };
  QTRY_VERIFY(bothAt(4, 4));
  stage_->answerWith(
      [](const RunConfig& config, const InspectionRequest& request, auto step, int epoch) {
        InspectionSnapshot s = exampleAnswer(config, request, step, epoch);
        if (config.name == "second") {
          for (float& value : s.lambdas.total.values) value *= 3;
        }
        return s;
      });
  comparison.right().chooser().showRun(second.path);
  QTRY_COMPARE(comparison.right().chooser().source().run, second.path);
  ImageView& image = comparison.left().image();
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({1, 6}).center().toPoint());
  QTRY_VERIFY(bothAt(1, 6));
  QTRY_COMPARE(comparison.right().lambdaView().range(), comparison.left().lambdaView().range());
  comparison.setOneScale(false);
  QVERIFY(comparison.right().lambdaView().range() != comparison.left().lambdaView().range());
  const Array& left = comparison.left().snapshot()->lambdas.total;
  const Array& difference = comparison.difference().lambda().data().array;
  QCOMPARE(difference.values[5], left.values[5] - 3 * left.values[5]);
  QCOMPARE(comparison.difference().map().data().rowCount(), 8);
  Q_EMIT stage_->part<ImagePicker>().imageChosen(9);
  QTRY_COMPARE(comparison.left().snapshot()->request.image, 9);
  QTRY_COMPARE(comparison.right().snapshot()->request.image, 9);
}

void TestInspectCompare::layersOfDifferentSizesAreComparedWithoutADifference() {
  stage_->show(stage_->writtenRun("hybrid"));
  stage_->page().setMode(InspectModeKind::compare);
  auto& comparison = stage_->part<Comparison>();
  // Two things worth comparing: the first epoch that is kept, and the last.
  QTRY_COMPARE(comparison.right().feed().source().kind, SourceKind::checkpoint);
  QTRY_COMPARE(comparison.left().feed().source().kind, SourceKind::checkpoint);
  const std::filesystem::path first = comparison.left().feed().source().checkpoint;
  QCOMPARE(first.filename().string(), std::string("epoch-0002.safetensors"));
  QCOMPARE(comparison.right().feed().source().checkpoint.filename().string(),
           std::string("last.safetensors"));
  QTRY_VERIFY(comparison.difference().embeddings().data().tileCount() > 0);
  QVERIFY(comparison.left().embeddingsView().data().title.contains(u"change since the start"_s));
  QCOMPARE(comparison.left().embeddingsView().range(), comparison.right().embeddingsView().range());
  comparison.right().chooser().showRun(first);
  QTRY_VERIFY(comparison.difference().map().placeholder().startsWith(u"Both sides are the same"_s));
  comparison.right().setLayer("stage2.block2.mixer");
  comparison.setQuery(0.9, 0.1);
  QTRY_VERIFY(comparison.left().snapshot() && comparison.right().snapshot() &&
              comparison.right().snapshot()->layer.name == "stage2.block2.mixer");
  QTRY_COMPARE(comparison.left().snapshot()->queryRow, 7);
  QCOMPARE(comparison.right().snapshot()->queryRow, 3);
  QCOMPARE(comparison.difference().map().data().tileCount(), 0);
  QCOMPARE(comparison.difference().map().placeholder(),
           u"The maps have different sizes: 8×8 and 4×4."_s);
}

void TestInspectCompare::attentionAndLambdasAreComparedAsShares() {
  const RunSummary lambdas = stage_->writtenRun("first");
  RunRecord record = smallRecord("second");
  record.config.architecture.stages[0].blocks[1].mixer = SelfAttentionMixer{2};
  const RunSummary attention = writeSummary(stage_->library(), "second", record);
  stage_->page().setRuns({lambdas, attention});
  stage_->show(lambdas);
  stage_->answerWith([](const auto& config, const auto& request, auto step, int epoch) {
    InspectionSnapshot answer = exampleAnswer(config, request, step, epoch);
    if (inspectedAs(answer.layer) == InspectedAs::lambdas) return answer;
    answer.lambdas = {};
    answer.embeddings = {};
    for (float& weight : answer.contributions.total.values) weight = std::abs(weight) / 1000;
    return answer;
  });
  stage_->page().setCheckedRuns({lambdas.path, attention.path});
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_VERIFY(comparison().difference().map().data().tileCount() > 0);
  const auto cellsOf = [](CompareSide& side) { return side.image().overlay().cells.values; };
  const auto sumOf = [](const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values) sum += std::abs(value);
    return sum;
  };
  CompareSide &left = comparison().left(), &right = comparison().right();
  QVERIFY(std::abs(sumOf(cellsOf(left)) - 1) < 1e-5);
  QVERIFY(std::abs(sumOf(cellsOf(right)) - 1) < 1e-5);
  QCOMPARE(left.image().overlay().range.high, right.image().overlay().range.high);
  QCOMPARE(comparison().difference().map().data().array.values[3],
           cellsOf(left)[3] - cellsOf(right)[3]);
  QCOMPARE(right.lambdaView().placeholder(),
           u"A self-attention layer has no lambda: its weights are shown over the image."_s);
  QVERIFY(comparison().difference().lambda().placeholder().isEmpty());
  const auto notes = comparison().findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(notes, [](const QLabel* note) {
    return note->isVisible() && note->text().startsWith(u"Layers of different kinds:"_s);
  }));
}

void TestInspectCompare::aFailureReplacesTheOlderPicturesOfItsSide() {
  compareTwoRuns();
  failFor("second");
  comparison().setQuery(0.1, 0.1);
  CompareSide &left = comparison().left(), &right = comparison().right();
  QTRY_VERIFY(right.image().placeholder().contains(u"the disk is gone"_s));
  QTRY_COMPARE(left.image().query().value_or(Cell()), (Cell{0, 0}));
  QTRY_VERIFY(left.snapshot() && left.snapshot()->queryRow == 0);
  QVERIFY(!right.snapshot());
  QCOMPARE(right.lambdaView().data().tileCount(), 0);
  QVERIFY(right.image().overlay().cells.empty());
  QCOMPARE(comparison().difference().map().data().tileCount(), 0);
  stage_->answerWith(exampleAnswer);
  comparison().setQuery(0.9, 0.9);
  QTRY_VERIFY(right.lambdaView().data().tileCount() > 0);
}

void TestInspectCompare::aRunThatIsGoneLeavesNoPictures() {
  compareTwoRuns();
  RunSummary left;
  left.path = comparison().left().chooser().source().run;
  left.record = comparison().left().chooser().source().record;
  stage_->page().setRuns({left});
  QCOMPARE(comparison().right().lambdaView().data().tileCount(), 0);
  QCOMPARE(comparison().right().image().placeholder(), u"Choose a run above."_s);
  QCOMPARE(comparison().difference().map().data().tileCount(), 0);
}

void TestInspectCompare::aDifferenceNamesBothSides() {
  compareTwoRuns();
  for (const HeatmapView* view : {&comparison().difference().map(),
                                  &comparison().difference().lambda(),
                                  &comparison().difference().embeddings()}) {
    const QString caption = view->exportCaption();
    QVERIFY2(caption.contains(u", left minus right. Left: first, best. Layer stage1.block2, "
                              "validation image 0, step "_s),
             qPrintable(caption));
    QVERIFY2(caption.contains(u". Right: second, best. Layer stage1.block2, "_s),
             qPrintable(caption));
  }
}

void TestInspectCompare::aRunWithoutCheckpointsIsRefusedWithItsReason() {
  const RunSummary first = stage_->writtenRun("first");
  RunSummary empty;
  empty.name = "2026-11-20_22-50-00_empty";
  empty.record = smallRecord("empty");
  empty.path = writeRun(stage_->library(), empty.name, empty.record);
  stage_->page().setRuns({first, empty});
  stage_->show(first);
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_COMPARE(shownBy(comparison().right()), u"first/last"_s);
  QSignalSpy told(&stage_->page(), &InspectPage::told);
  auto* runs = comparison().right().chooser().findChild<QComboBox*>();
  Q_EMIT runs->activated(runs->findText(u"empty"_s, Qt::MatchStartsWith));
  QTRY_COMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().contains(u"has no checkpoint"_s));
  QCOMPARE(shownBy(comparison().right()), u"first/last"_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectCompare)
#include "tst_inspect_compare.moc"
