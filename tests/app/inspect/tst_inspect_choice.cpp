#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QtTest/QtTest>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestInspectChoice : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void aClickAsksForThatPixelAndArrowKeysWalkToTheEdge();
  void onlyTheEmbeddingsTabAsksForPatterns();
  void bracketsMoveBetweenLayersAndPunctuationBetweenHeads();
  void theQueryStaysAtItsPlaceOfTheImageOnAnotherMap();
  void staleAnswersAreDropped();
  void busyIsShownOnlyAfterAWhile();
  void wrongPredictionsAreFoundAndCanBeCancelled();
  void theTestSetIsNotScoredUnasked();
  void predictionsThatAnotherPageHasMadeAreShownAndNotMadeAgain();
  void anImageIsChosenByNumberGridAndSplit();
  void anOwnPictureIsFittedToTheInput();
  void withoutAFolderOfPicturesOneIsChosenFromHome();
  void aLaterImageReplacesAPictureThatIsBeingRead();
  void noValueOfAnotherQueryIsRead();
  void aSplitThatTheDataLackIsNotInspected();
  void aSplitThatOneRunForcesIsNotThatOfTheNext();
  void whereThereAreNoImagesNoneAreClassified();

 private:
  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectChoice::aClickAsksForThatPixelAndArrowKeysWalkToTheEdge() {
  stage_->show(stage_->writtenRun("hybrid"));
  ImageView& image = stage_->part<ImagePanel>().image();
  QSignalSpy arrived(&stage_->feed(), &SnapshotFeed::arrived);
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({2, 6}).center().toPoint());
  QVERIFY(arrived.wait());
  QCOMPARE(stage_->seen().queryRow, 2);
  QCOMPARE(stage_->seen().queryColumn, 6);
  QTest::keyClick(&image, Qt::Key_Right);
  QTest::keyClick(&image, Qt::Key_Right);
  QTest::keyClick(&image, Qt::Key_Up);
  QTRY_COMPARE(stage_->seen().queryRow, 1);
  QCOMPARE(stage_->seen().queryColumn, 7);
  const InspectionRequest last = stage_->engine->inspections().back();
  QCOMPARE(last.queryRow, 1);
  QCOMPARE(last.queryColumn, 7);
}

void TestInspectChoice::onlyTheEmbeddingsTabAsksForPatterns() {
  stage_->show(stage_->writtenRun("hybrid"));
  const auto requests = [this] { return stage_->engine->inspections(); };
  for (const InspectionRequest& each : requests()) QVERIFY(!each.withPatterns);
  auto& tabs = stage_->part<QTabWidget>();
  tabs.setCurrentIndex(1);
  QVERIFY(stage_->part<EmbeddingsPanel>().isVisible());
  QTRY_VERIFY(requests().back().withPatterns);
  tabs.setCurrentIndex(0);
  ImageView& image = stage_->part<ImagePanel>().image();
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({2, 6}).center().toPoint());
  QTRY_COMPARE(requests().back().queryColumn, 6);
  QVERIFY(!requests().back().withPatterns);
}

void TestInspectChoice::bracketsMoveBetweenLayersAndPunctuationBetweenHeads() {
  stage_->show(stage_->writtenRun("hybrid"));
  QVERIFY(QTest::qWaitForWindowActive(&stage_->page()));
  QTest::keyClick(&stage_->page(), Qt::Key_BracketRight);
  QTRY_COMPARE(stage_->part<LambdaPanel>().total().data().name, u"stage2.block2-lambda-total"_s);
  QTest::keyClick(&stage_->page(), Qt::Key_BracketRight);
  QCOMPARE(stage_->part<LayerList>().currentLayer(), std::string("stage2.block2.mixer"));
  QTest::keyClick(&stage_->page(), Qt::Key_BracketLeft);
  QCOMPARE(stage_->part<LayerList>().currentLayer(), std::string("stage1.block2.mixer"));
  QTest::keyClick(&stage_->page(), Qt::Key_Period);
  QCOMPARE(stage_->part<ImagePanel>().head(), 0);
  QTest::keyClick(&stage_->page(), Qt::Key_Comma);
  QCOMPARE(stage_->part<ImagePanel>().head(), -1);
  QTest::keyClick(&stage_->page(), Qt::Key_4);
  QCOMPARE(stage_->part<ImagePanel>().quantity(), ContributionKind::effect);
}

void TestInspectChoice::theQueryStaysAtItsPlaceOfTheImageOnAnotherMap() {
  stage_->show(stage_->writtenRun("hybrid"));
  Q_EMIT stage_->part<ImagePanel>().queryChosen(6, 2);
  stage_->part<LayerList>().step(1);
  QTRY_COMPARE(stage_->seen().layer.name, std::string("stage2.block2.mixer"));
  QCOMPARE(stage_->seen().queryRow, 3);
  QCOMPARE(stage_->seen().queryColumn, 1);
}

void TestInspectChoice::staleAnswersAreDropped() {
  stage_->show(stage_->writtenRun("hybrid"));
  stage_->answerThroughGate();
  stage_->gate.close();
  QSignalSpy shown(&stage_->feed(), &SnapshotFeed::arrived);
  Q_EMIT stage_->part<ImagePanel>().queryChosen(1, 1);
  QTRY_VERIFY(stage_->gate.passed() > 0);
  Q_EMIT stage_->part<ImagePanel>().queryChosen(3, 3);
  stage_->gate.open();
  QTRY_COMPARE(stage_->gate.passed(), 2);
  QTRY_COMPARE(shown.count(), 1);
  QCOMPARE(stage_->seen().queryRow, 3);
}

void TestInspectChoice::busyIsShownOnlyAfterAWhile() {
  stage_->show(stage_->writtenRun("hybrid"));
  stage_->answerThroughGate();
  auto& feed = stage_->feed();
  QSignalSpy busy(&feed, &SnapshotFeed::busyChanged);
  stage_->gate.close();
  QElapsedTimer asked;
  asked.start();
  Q_EMIT stage_->part<ImagePanel>().queryChosen(1, 1);
  QVERIFY(!feed.isBusy());
  QVERIFY(busy.wait());
  QVERIFY(asked.elapsed() >= 140);
  QVERIFY(feed.isBusy());
  stage_->gate.open();
  QVERIFY(busy.wait());
  QVERIFY(!feed.isBusy());
}

void TestInspectChoice::wrongPredictionsAreFoundAndCanBeCancelled() {
  stage_->show(stage_->writtenRun("hybrid"));
  auto& picker = stage_->part<ImagePicker>();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  stage_->action(u"Wrong predictions"_s)->trigger();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{3});
  QCOMPARE(picker.grid().shown()[1].index, 7);
  QCOMPARE(picker.grid().shown()[1].verdict, Verdict::wrong);
  stage_->action(u"Next image"_s)->trigger();
  QTRY_COMPARE(stage_->seen().request.image, 7);
  // Choosing another split clears the verdicts.
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::none);
}

void TestInspectChoice::theTestSetIsNotScoredUnasked() {
  stage_->show(stage_->writtenRun("hybrid"));
  auto& picker = stage_->part<ImagePicker>();
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  QSignalSpy requested(&picker, &ImagePicker::predictionsRequested);
  stage_->action(u"Wrong predictions"_s)->trigger();
  QVERIFY(picker.grid().shown().empty());
  QVERIFY(picker.grid().placeholder().contains(u"counted in the run's record"_s));
  QCOMPARE(requested.count(), 0);
  for (auto* button : picker.findChildren<QPushButton*>()) {
    if (button->text() == u"Score the test images"_s) button->click();
  }
  QCOMPARE(requested.count(), 1);
  QTRY_VERIFY(!picker.grid().shown().empty());
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::wrong);
}

void TestInspectChoice::predictionsThatAnotherPageHasMadeAreShownAndNotMadeAgain() {
  const RunSummary run = stage_->writtenRun("hybrid");
  PredictionStore& store = stage_->checkpoints.predictions();
  store.ask(run.path, Split::test);
  QTRY_VERIFY(store.entry(run.path, Split::test).predictions);
  stage_->show(run);
  auto& picker = stage_->part<ImagePicker>();
  QSignalSpy requested(&picker, &ImagePicker::predictionsRequested);
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  QTRY_COMPARE(picker.grid().shown()[0].verdict, Verdict::wrong);
  stage_->action(u"Wrong predictions"_s)->trigger();
  QCOMPARE(picker.grid().shown().size(), std::size_t{3});
  QCOMPARE(requested.count(), 0);
  QCOMPARE(stage_->engine->classifications(), 1);
}

void TestInspectChoice::anImageIsChosenByNumberGridAndSplit() {
  stage_->show(stage_->writtenRun("hybrid"));
  auto& picker = stage_->part<ImagePicker>();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  Q_EMIT picker.grid().imageActivated(11);
  QTRY_COMPARE(stage_->seen().request.image, 11);
  QCOMPARE(picker.grid().currentImage(), 11);
  stage_->action(u"Previous image"_s)->trigger();
  QTRY_COMPARE(stage_->seen().request.image, 10);
  RunRecord other = smallRecord("other");
  other.config.data.splitSeed = 3;
  stage_->page().showImage(writeSummary(stage_->library(), "other", other).path, Split::test, 4);
  QTRY_COMPARE(stage_->seen().request.image, 4);
  QCOMPARE(stage_->seen().request.split, Split::test);
}

void TestInspectChoice::anOwnPictureIsFittedToTheInput() {
  stage_->show(stage_->writtenRun("hybrid"));
  QImage picture(90, 60, QImage::Format_RGB32);
  Image same{90, 60, {}};
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 90; ++x) {
      const QColor color(2 * x, (x * y) % 256, (x + 3 * y) % 256);
      picture.setPixelColor(x, y, color);
      for (const int value : {color.red(), color.green(), color.blue()}) {
        same.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  const QString path = stage_->folder.filePath(u"own.png"_s);
  QVERIFY(picture.save(path));
  stage_->page().openPicture(path);
  QTRY_VERIFY(stage_->seen().request.picture.has_value());
  const Image& sent = *stage_->seen().request.picture;
  QCOMPARE(sent.width, 16);
  QCOMPARE(sent.height, 16);
  // It is scaled as in training and by lambda predict.
  const std::vector<std::uint8_t> planes = inputImage(same, {3, 16, 16});
  for (std::size_t i = 0; i < 256; ++i) {
    for (std::size_t c = 0; c < 3; ++c) QCOMPARE(sent.rgb[3 * i + c], planes[256 * c + i]);
  }
  QTRY_VERIFY(stage_->part<ImagePanel>().predictionWords().startsWith(u"Predicted: "_s));

  QSignalSpy told(&stage_->page(), &InspectPage::told);
  QFile text(stage_->folder.filePath(u"notes.png"_s));
  QVERIFY(text.open(QIODevice::WriteOnly));
  text.write("this is not a picture");
  text.close();
  stage_->page().openPicture(text.fileName());
  QTRY_COMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().startsWith(u"Could not read notes.png as a picture"_s));
  QVERIFY(told[0][1].toBool());
}

void TestInspectChoice::withoutAFolderOfPicturesOneIsChosenFromHome() {
  const QByteArray home = qgetenv("HOME");
  const auto restored = qScopeGuard([&] { qputenv("HOME", home); });
  qputenv("HOME", stage_->folder.path().toUtf8());
  stage_->show(stage_->writtenRun("hybrid"));
  stage_->action(u"Own picture …"_s)->trigger();
  const auto* dialog = stage_->page().window()->findChild<QFileDialog*>();
  QVERIFY(dialog && dialog->isVisible());
  QCOMPARE(dialog->directory(), QDir::home());
  QCOMPARE(dialog->findChild<QLineEdit*>(u"fileNameEdit"_s)->text(), QString());
}

void TestInspectChoice::aLaterImageReplacesAPictureThatIsBeingRead() {
  stage_->show(stage_->writtenRun("hybrid"));
  const QString path = stage_->folder.filePath(u"own.png"_s);
  QImage picture(90, 60, QImage::Format_RGB32);
  picture.fill(Qt::green);
  QVERIFY(picture.save(path));
  auto& picker = stage_->part<ImagePicker>();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  stage_->page().openPicture(path);
  Q_EMIT picker.grid().imageActivated(11);
  QTRY_COMPARE(stage_->seen().request.image, 11);
  QTest::qWait(100);
  QVERIFY(!stage_->seen().request.picture);
  stage_->page().openPicture(path);
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
  QTest::qWait(100);
  QVERIFY(!stage_->seen().request.picture);
}

void TestInspectChoice::noValueOfAnotherQueryIsRead() {
  stage_->show(stage_->writtenRun("hybrid"));
  ImageView& image = stage_->part<ImagePanel>().image();
  const QImage clear = image.grab().toImage();
  QVERIFY(image.readoutOf(*image.query()).contains(u"A total"_s));
  stage_->answerThroughGate();
  stage_->gate.close();
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({2, 6}).center().toPoint());
  QTRY_VERIFY(stage_->gate.passed() > 0);
  QCOMPARE(*image.query(), (Cell{2, 6}));
  QCOMPARE(image.readoutOf({2, 6}), u"row 2, column 6"_s);
  QCOMPARE(image.readoutOf({0, 0}), u"row 0, column 0"_s);
  QVERIFY(!image.accessibleDescription().contains(u"A total"_s));
  // The map of the other query is pale.
  const QPoint corner = image.cellRect({7, 0}).center().toPoint();
  QVERIFY(image.grab().toImage().pixelColor(corner) != clear.pixelColor(corner));
  stage_->gate.open();
  QTRY_VERIFY(image.readoutOf({2, 6}).contains(u"A total"_s));
  QVERIFY(image.accessibleDescription().contains(u"A total"_s));
}

void TestInspectChoice::aSplitThatTheDataLackIsNotInspected() {
  const QDir pictures(stage_->folder.path());
  for (int i = 0; i < 12; ++i) {
    const QString place = u"pictures/%1"_s.arg(i % 2 == 0 ? u"round"_s : u"square"_s);
    QVERIFY(pictures.mkpath(place));
    QImage picture(16, 16, QImage::Format_RGB32);
    picture.fill(i % 2 == 0 ? Qt::red : Qt::blue);
    QVERIFY(picture.save(pictures.filePath(u"%1/%2.png"_s.arg(place).arg(i))));
  }
  RunRecord record = smallRecord("own");
  record.config.architecture.outputs = 2;
  record.config.data.source =
      ImageFolderSource{.path = pictures.filePath(u"pictures"_s).toStdString(), .size = 16};
  record.config.data.validationCount = 4;
  const RunSummary own = writeSummary(stage_->library(), "own", record);

  stage_->show(stage_->writtenRun("hybrid"));
  auto& picker = stage_->part<ImagePicker>();
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
  // The split is remembered from the run before, and this one has no test images.
  const std::size_t before = stage_->engine->inspections().size();
  QSignalSpy noted(&stage_->page(), &InspectPage::noted);
  QSignalSpy withdrawn(&stage_->page(), &InspectPage::withdrawn);
  stage_->page().showRun(own.path);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{4});
  QTRY_COMPARE(stage_->seen().request.split, Split::validation);
  QCOMPARE(picker.split(), Split::validation);
  const auto requests = stage_->engine->inspections();
  for (std::size_t i = before; i < requests.size(); ++i) {
    QCOMPARE(requests[i].split, Split::validation);
  }
  QVERIFY(!stage_->part<PanelDeck>().showsFailure());
  QTRY_VERIFY(!noted.isEmpty());
  const QString note = noted.constLast().constFirst().toString();
  QVERIFY(note.contains(u"no test images"_s));
  QCOMPARE(withdrawn.count(), 0);
  auto* splits = picker.findChild<QComboBox*>();
  QTRY_COMPARE(splits->itemText(1), u"Test, none"_s);
  QVERIFY(!splits->model()->flags(splits->model()->index(1, 0)).testFlag(Qt::ItemIsEnabled));
  // Another run has them.
  stage_->show(stage_->writtenRun("hybrid"));
  QTRY_VERIFY(!withdrawn.isEmpty());
  QCOMPARE(withdrawn.constLast().constFirst().toString(), note);
  QVERIFY(splits->model()->flags(splits->model()->index(1, 0)).testFlag(Qt::ItemIsEnabled));
}

void TestInspectChoice::aSplitThatOneRunForcesIsNotThatOfTheNext() {
  RunRecord without = smallRecord("without");
  without.config.data.validationCount = 0;
  const RunSummary forcing = writeSummary(stage_->library(), "without", without);
  const RunSummary next = stage_->writtenRun("hybrid");
  auto& picker = stage_->part<ImagePicker>();
  stage_->show(forcing);
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
  stage_->page().showRun(next.path);
  QTRY_COMPARE(stage_->seen().request.split, Split::validation);
  QCOMPARE(picker.split(), Split::validation);
  // A split that a person chose stays the choice.
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
  stage_->page().showRun(forcing.path);
  QTRY_VERIFY(picker.lacks(Split::validation));
  stage_->page().showRun(next.path);
  QTRY_VERIFY(!picker.lacks(Split::validation));
  QTRY_COMPARE(stage_->seen().request.split, Split::test);
}

void TestInspectChoice::whereThereAreNoImagesNoneAreClassified() {
  RunRecord record = smallRecord("without");
  record.config.data.validationCount = 0;
  record.status = RunStatus::finished;
  record.testScore = std::nullopt;
  stage_->page().showRun(writeSummary(stage_->library(), "without", record).path);
  auto& picker = stage_->part<ImagePicker>();
  QTRY_COMPARE(picker.grid().placeholder(), u"The data of this run have no validation images."_s);
  QSignalSpy requested(&picker, &ImagePicker::predictionsRequested);
  stage_->action(u"Wrong predictions"_s)->trigger();
  QCOMPARE(requested.count(), 0);
  QCOMPARE(picker.grid().placeholder(), u"The data of this run have no validation images."_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectChoice)
#include "tst_inspect_choice.moc"
