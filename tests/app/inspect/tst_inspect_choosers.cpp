#include <algorithm>

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QStyleOptionComboBox>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/images/image_picker.h"
#include "tests/support/written_runs.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Images 0 to count - 1, of the classes "even" and "odd".
std::shared_ptr<const LabeledImages> evenAndOdd(int count) {
  auto images = std::make_shared<LabeledImages>();
  images->height = images->width = 2;
  images->classNames = {"even", "odd"};
  for (int i = 0; i < count; ++i) {
    images->pixels.insert(images->pixels.end(), 12, static_cast<std::uint8_t>(i));
    images->labels.push_back(static_cast<std::uint8_t>(i % 2));
  }
  return images;
}

std::vector<int> indicesIn(ImagePicker& picker) {
  std::vector<int> indices;
  for (const GridImage& image : picker.grid().shown()) indices.push_back(image.index);
  return indices;
}

/// What a closed list draws.
struct DrawnChoice : QComboBox {
  static QStyleOptionComboBox of(const QComboBox& list) {
    QStyleOptionComboBox option;
    (list.*&DrawnChoice::initStyleOption)(&option);
    return option;
  }
};

/// The library's summary of a run with checkpoints.
RunSummary summaryOf(const std::filesystem::path& library, const std::string& folder) {
  RunSummary summary;
  summary.record = finishedRecord(folder.substr(20));
  summary.path = writeRun(library, folder, summary.record);
  summary.name = folder;
  for (const char* name : {"best", "last", "epoch-0002", "epoch-0005"}) {
    std::ofstream(summary.path / "checkpoints" / (std::string(name) + ".safetensors")) << "x";
  }
  return summary;
}

/// A training of this run, which is under way.
InspectionSource liveOf(const RunSummary& run) {
  return {.kind = SourceKind::live, .run = run.path, .record = run.record, .label = u"Live: x"_s};
}

/// The library's summary of a run that has ended before its first checkpoint.
RunSummary summaryWithoutCheckpoints(const std::filesystem::path& library) {
  RunSummary summary;
  summary.name = "2026-11-21_08-00-00_short";
  summary.record = finishedRecord("short");
  summary.record.status = RunStatus::failed;
  summary.path = writeRun(library, summary.name, summary.record);
  return summary;
}

constexpr int kAnswerTime = 100;  // milliseconds, in which an answer that must not count arrives

/// A chooser with two runs of a library.
struct TwoRuns {
  QTemporaryDir library;
  std::filesystem::path path = library.path().toStdString();
  RunSummary first = summaryOf(path, "2026-11-20_22-48-00_first");
  RunSummary second = summaryOf(path, "2026-11-20_23-00-00_second");
  SourceChooser chooser;

  TwoRuns() { chooser.setRuns({first, second}); }
};

}  // namespace

class TestInspectChoosers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thePickerFiltersByClassAndPrediction();
  void thePickerStepsThroughWhatItShows();
  void thePickerShowsHowOftenTheTestSetWasEvaluated();
  void aCountWiderThanTheChoiceIsShortened();
  void thePickerNamesAnOwnPictureAsLongAsItIsShown();
  void theChooserOffersBestLastAndEpochs();
  void theChooserKeepsItsChoiceAndDropsARunThatIsGone();
  void theChooserSaysWhatIsWrongWithAPath();
  void aLaterChoiceReplacesOneThatIsBeingRead();
  void aCheckpointReplacesARunThatIsBeingRead();
  void theEndOfATrainingDoesNotReplaceARunThatIsBeingRead();
  void aTrainingThatEndsWithoutACheckpointSaysSo();
  void aRunThatIsGoneIsNamed();
  void aRunWithoutCheckpointsIsRefusedAndTheChoiceStays();
};

void TestInspectChoosers::thePickerFiltersByClassAndPrediction() {
  ImagePicker picker;
  picker.setImages(Split::validation, evenAndOdd(8));
  QCOMPARE(indicesIn(picker).size(), std::size_t{8});
  picker.setClass(1);
  QCOMPARE(indicesIn(picker), (std::vector<int>{1, 3, 5, 7}));
  picker.setPredictable(true, {});
  QSignalSpy wanted(&picker, &ImagePicker::predictionsRequested);
  auto* filters = picker.findChildren<QComboBox*>()[2];
  filters->setCurrentIndex(1);
  Q_EMIT filters->activated(1);
  QCOMPARE(wanted.count(), 1);
  QVERIFY(indicesIn(picker).empty());
  auto predictions = std::make_shared<Predictions>();
  predictions->labels = {0, 1, 0, 1, 0, 1, 0, 1};
  predictions->predicted = {0, 1, 1, 0, 0, 1, 0, 0};
  picker.setPredictions(predictions);
  QCOMPARE(indicesIn(picker), (std::vector<int>{3, 7}));
  QCOMPARE(picker.grid().shown()[0].caption, u"→ even"_s);
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::wrong);
  picker.setClass(-1);
  picker.setFilter(PredictionFilter::right);
  QCOMPARE(indicesIn(picker), (std::vector<int>{0, 1, 4, 5, 6}));
}

void TestInspectChoosers::thePickerStepsThroughWhatItShows() {
  ImagePicker picker;
  picker.setImages(Split::validation, evenAndOdd(8));
  picker.setClass(1);
  QSignalSpy chosen(&picker, &ImagePicker::imageChosen);
  picker.setCurrent(4);
  picker.step(1);
  QCOMPARE(chosen.takeFirst()[0].toInt(), 5);
  picker.setCurrent(4);
  picker.step(-1);
  QCOMPARE(chosen.takeFirst()[0].toInt(), 3);
  picker.setCurrent(7);
  picker.step(1);
  QCOMPARE(chosen.count(), 0);
  picker.chooseRandom();
  QVERIFY(chosen.takeFirst()[0].toInt() % 2 == 1);
}

void TestInspectChoosers::thePickerShowsHowOftenTheTestSetWasEvaluated() {
  ImagePicker picker;
  const auto* splits = picker.findChildren<QComboBox*>()[0];
  picker.setTestEvaluations(0);
  QCOMPARE(splits->itemText(1), u"Test, never scored"_s);
  picker.setTestEvaluations(1);
  QCOMPARE(splits->itemText(1), u"Test, scored once"_s);
  picker.setTestEvaluations(3);
  QCOMPARE(splits->itemText(1), u"Test, scored 3 times"_s);
}

void TestInspectChoosers::aCountWiderThanTheChoiceIsShortened() {
  ImagePicker picker;
  auto* splits = picker.findChildren<QComboBox*>()[0];
  picker.setTestEvaluations(1);
  splits->setCurrentIndex(1);
  splits->resize(splits->sizeHint());
  const QStyleOptionComboBox option = DrawnChoice::of(*splits);
  const QRect space = splits->style()->subControlRect(
      QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, splits);
  QVERIFY2(splits->fontMetrics().horizontalAdvance(option.currentText) <= space.width(),
           qPrintable(option.currentText));
  QVERIFY(option.currentText.contains(u'…'));
}

void TestInspectChoosers::thePickerNamesAnOwnPictureAsLongAsItIsShown() {
  ImagePicker picker;
  const auto says = [&picker](const QString& text) {
    return std::ranges::any_of(picker.findChildren<QLabel*>(),
                               [&](const QLabel* label) { return label->text() == text; });
  };
  picker.setImages(Split::validation, evenAndOdd(8));
  picker.setPictureName(u"cat.png"_s);
  QVERIFY(says(u"Own picture: cat.png"_s));
  picker.setPredictions(std::make_shared<Predictions>());
  picker.setCurrent(-1);
  QVERIFY(says(u"Own picture: cat.png"_s));
  picker.setCurrent(3);
  QVERIFY(says(u"8 of 8"_s));
}

void TestInspectChoosers::theChooserOffersBestLastAndEpochs() {
  const QTemporaryDir library;
  const RunSummary run = summaryOf(library.path().toStdString(), "2026-11-20_22-48-00_first");
  SourceChooser chooser;
  QSignalSpy changed(&chooser, &SourceChooser::sourceChanged);
  chooser.setRuns({run});
  chooser.showRun(run.path);
  QTRY_COMPARE(changed.count(), 1);
  QCOMPARE(chooser.source().checkpoint, run.path / "checkpoints" / "best.safetensors");
  auto* checkpoints = chooser.findChildren<QComboBox*>()[1];
  QStringList titles;
  for (int i = 0; i < checkpoints->count(); ++i) titles << checkpoints->itemText(i);
  QCOMPARE(titles, (QStringList{u"Best"_s, u"Last"_s, u"Epoch 5"_s, u"Epoch 2"_s}));
  Q_EMIT checkpoints->activated(2);
  QCOMPARE(chooser.source().checkpoint, run.path / "checkpoints" / "epoch-0005.safetensors");
  QCOMPARE(chooser.source().label, u"first, epoch 5"_s);
  QVERIFY(runTitle(run).startsWith(u"first · 20 Nov, 22:48"_s));
}

void TestInspectChoosers::theChooserKeepsItsChoiceAndDropsARunThatIsGone() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  const RunSummary first = summaryOf(path, "2026-11-20_22-48-00_first");
  const RunSummary second = summaryOf(path, "2026-11-20_23-00-00_second");
  RunSummary broken;
  broken.path = path / "broken";
  broken.problem = "run.json is not JSON";
  SourceChooser chooser;
  chooser.setRuns({first, second, broken});
  QCOMPARE(chooser.findChild<QComboBox*>()->count(), 2);
  chooser.showNewest();
  QTRY_COMPARE(chooser.source().run, second.path);
  QSignalSpy changed(&chooser, &SourceChooser::sourceChanged);
  RunSummary more = second;
  more.record.testEvaluations = 7;
  chooser.setRuns({first, more});
  QCOMPARE(changed.count(), 0);
  QCOMPARE(chooser.source().record.testEvaluations, 7);
  chooser.setRuns({first});
  QTRY_COMPARE(changed.count(), 1);
  QCOMPARE(chooser.source().kind, SourceKind::none);
}

void TestInspectChoosers::theChooserSaysWhatIsWrongWithAPath() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  SourceChooser chooser;
  QSignalSpy refused(&chooser, &SourceChooser::refused);
  const auto refusalOf = [&](const std::filesystem::path& run) {
    refused.clear();
    chooser.showRun(run);
    return refused.wait() ? refused[0][0].toString() : QString();
  };
  QVERIFY(refusalOf(path).contains(u"run.json"_s));
  const std::filesystem::path old =
      writeRun(path, "2026-11-20_22-48-00_old", finishedRecord("old"));
  QVERIFY(refusalOf(old).contains(u"has no checkpoint: its folder lacks them all"_s));
  RunRecord stopped = finishedRecord("new");
  stopped.status = RunStatus::stopped;
  const std::filesystem::path run = writeRun(path, "2026-11-20_22-49-00_new", stopped);
  QVERIFY(refusalOf(run).contains(u"has no checkpoint yet"_s));
  QCOMPARE(chooser.source().kind, SourceKind::none);
}

void TestInspectChoosers::aLaterChoiceReplacesOneThatIsBeingRead() {
  TwoRuns runs;
  auto& [library, path, first, second, chooser] = runs;
  QSignalSpy changed(&chooser, &SourceChooser::sourceChanged);
  bool isSecondChosen = false;
  chooser.showRun(second.path, [&] { isSecondChosen = true; });
  chooser.showRun(first.path);
  // It does not replace a choice that a person has made.
  chooser.showNewest();
  QTRY_COMPARE(changed.count(), 1);
  QCOMPARE(chooser.source().run, first.path);
  QVERIFY(!isSecondChosen);
}

void TestInspectChoosers::aCheckpointReplacesARunThatIsBeingRead() {
  TwoRuns runs;
  auto& [library, path, first, second, chooser] = runs;
  chooser.showRun(first.path);
  QTRY_COMPARE(chooser.source().run, first.path);
  chooser.showRun(second.path);
  Q_EMIT chooser.findChildren<QComboBox*>()[1]->activated(2);
  QTest::qWait(kAnswerTime);
  QCOMPARE(chooser.source().checkpoint, first.path / "checkpoints" / "epoch-0005.safetensors");
}

void TestInspectChoosers::theEndOfATrainingDoesNotReplaceARunThatIsBeingRead() {
  TwoRuns runs;
  auto& [library, path, first, second, chooser] = runs;
  chooser.setLive(liveOf(first));
  QVERIFY(chooser.showLive());
  chooser.showRun(second.path);
  chooser.setLive({});
  QTRY_COMPARE(chooser.source().kind, SourceKind::checkpoint);
  QCOMPARE(chooser.source().run, second.path);
  // Where that run can't be chosen, the ended training's own run takes its place.
  chooser.setLive(liveOf(first));
  QVERIFY(chooser.showLive());
  QSignalSpy refused(&chooser, &SourceChooser::refused);
  chooser.showRun(path / "nothing");
  chooser.setLive({});
  QTRY_COMPARE(chooser.source().kind, SourceKind::checkpoint);
  QCOMPARE(chooser.source().run, first.path);
  QCOMPARE(refused.count(), 1);
}

void TestInspectChoosers::aTrainingThatEndsWithoutACheckpointSaysSo() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  const RunSummary other = summaryOf(path, "2026-11-20_22-48-00_other");
  const RunSummary run = summaryWithoutCheckpoints(path);
  SourceChooser chooser;
  chooser.setRuns({other});
  chooser.setLive(liveOf(run));
  QVERIFY(chooser.showLive());
  QSignalSpy refused(&chooser, &SourceChooser::leftTraining);
  chooser.setLive({});
  QCOMPARE(chooser.findChild<QComboBox*>()->currentIndex(), -1);
  QTRY_COMPARE(refused.count(), 1);
  QVERIFY(refused[0][0].toString().contains(u"has no checkpoint yet"_s));
  QCOMPARE(chooser.source().kind, SourceKind::none);
  QCOMPARE(chooser.findChild<QComboBox*>()->currentIndex(), -1);
}

void TestInspectChoosers::aRunThatIsGoneIsNamed() {
  TwoRuns runs;
  auto& [library, path, first, second, chooser] = runs;
  chooser.showRun(first.path);
  QTRY_COMPARE(chooser.source().run, first.path);
  QSignalSpy refused(&chooser, &SourceChooser::refused);
  chooser.setRuns({second});
  QCOMPARE(refused.count(), 1);
  QVERIFY(refused[0][0].toString().endsWith(u"its folder was moved, renamed or deleted."_s));
  QCOMPARE(chooser.source().kind, SourceKind::none);
  QSignalSpy returned(&chooser, &SourceChooser::returned);
  chooser.setRuns({second});
  QCOMPARE(returned.count(), 0);
  chooser.setRuns({first, second});
  QCOMPARE(returned.count(), 1);
  QCOMPARE(returned[0][0], refused[0][0]);
}

void TestInspectChoosers::aRunWithoutCheckpointsIsRefusedAndTheChoiceStays() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  const RunSummary first = summaryOf(path, "2026-11-20_22-48-00_first");
  SourceChooser chooser;
  chooser.setRuns({first, summaryWithoutCheckpoints(path)});
  chooser.showRun(first.path);
  QTRY_COMPARE(chooser.source().run, first.path);
  QSignalSpy refused(&chooser, &SourceChooser::refused);
  auto* runs = chooser.findChildren<QComboBox*>()[0];
  runs->setCurrentIndex(0);
  QVERIFY(runs->currentText().startsWith(u"short"_s));
  Q_EMIT runs->activated(0);
  QTRY_COMPARE(refused.count(), 1);
  QVERIFY(refused[0][0].toString().contains(u"has no checkpoint yet"_s));
  QCOMPARE(chooser.source().checkpoint, first.path / "checkpoints" / "best.safetensors");
  QVERIFY(runs->currentText().startsWith(u"first"_s));
  QCOMPARE(chooser.findChildren<QComboBox*>()[1]->count(), 4);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectChoosers)
#include "tst_inspect_choosers.moc"
