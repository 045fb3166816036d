#include <algorithm>

#include <QDir>
#include <QImageReader>
#include <QLabel>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>
#include <QToolTip>
#include <QtTest/QtTest>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/epochs/norm_strip.h"
#include "app/inspect/epochs/probe_reader.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/panel_deck.h"
#include "tests/support/inspect_page_stage.h"
#include "tests/support/numbered_pictures.h"
#include "tests/support/temporary_folder.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestInspectEpochs : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void epochsArePlayedOnOneScaleAndSavedAsASequence();
  void aDamagedEpochIsNamedAndTheOthersArePlayed();
  void epochsOfARegressionAreShown();
  void aRunWithoutSnapshotsSaysSo();
  void everyLayerHasItsPictureAndTheEmbeddingsTheirChange();
  void theEffectIsOnlyOfferedWhereItIsKnown();
  void theSequenceIsSavedWhileAnotherModeIsShown();
  void cancellingDoesNotWaitForThePictureUnderWay();
  void onlyTheNewestRequestedEpochIsRead();
  void anEpochThatIsGoneIsNamedAndEndsThePlaying();
  void aLostEpochIsShownInPlaceOfThePanels();
  void theReadoutOfTheNormsStaysWhileEpochsAreShown();
  void theReadoutOfTheNormsIsWhole();
  void theNamesOfTheNormsFitAboveThem_data();
  void theNamesOfTheNormsFitAboveThem();

 private:
  /// A run with the stored snapshots of three epochs.
  RunSummary runOfThreeEpochs() {
    const RunSummary run = stage_->writtenRun("hybrid");
    for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, {layerOf(run)});
    return run;
  }

  static InspectableLayer layerOf(const RunSummary& run) {
    return inspectableLayers(run.record.config.architecture).front();
  }

  /// Shows the epochs of a run in their mode.
  void showEpochs(const RunSummary& run) {
    stage_->show(run);
    stage_->page().setMode(InspectModeKind::epochs);
    QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 3);
  }

  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectEpochs::epochsArePlayedOnOneScaleAndSavedAsASequence() {
  const RunSummary run = runOfThreeEpochs();
  stage_->show(run);
  const std::size_t asked = stage_->engine->inspections().size();
  stage_->page().setMode(InspectModeKind::epochs);
  auto& player = stage_->part<EpochPlayer>();
  QTRY_COMPARE(player.count(), 3);
  QCOMPARE(player.current(), 2);
  const auto lambdaNow = [&] { return stage_->part<LambdaPanel>().total().data().array; };
  const Array third = lambdaNow();
  const ColorRange range = stage_->part<LambdaPanel>().total().range();
  player.step(-1);
  QVERIFY(lambdaNow() != third);
  QCOMPARE(stage_->part<LambdaPanel>().total().range(), range);
  QCOMPARE(stage_->part<LambdaPanel>().content().range(), range);
  QCOMPARE(*stage_->part<ImagePanel>().image().query(), (Cell{4, 4}));
  Q_EMIT stage_->part<ImagePanel>().queryChosen(0, 0);
  QCOMPARE(*stage_->part<ImagePanel>().image().query(), (Cell{4, 4}));
  player.setCurrent(0);
  player.togglePlaying();
  QVERIFY(player.isPlaying());
  QTRY_COMPARE(player.current(), 2);
  QTRY_VERIFY(!player.isPlaying());

  QSignalSpy exported(&player, &EpochPlayer::exported);
  const QString folder = stage_->folder.filePath(u"sequence"_s);
  player.exportTo(folder);
  QVERIFY(exported.wait());
  QCOMPARE(exported[0][1].toString(), QString());
  QCOMPARE(QDir(folder).entryList(QDir::Files),
           (QStringList{u"epoch-0001.png"_s,
                        u"epoch-0002.png"_s,
                        u"epoch-0003.png"_s,
                        u"epochs.gif"_s,
                        u"norms.csv"_s}));
  const QImage second(folder + u"/epoch-0002.png"_s);
  QCOMPARE(second.size(), QSize(1280, 720));
  QImageReader animation(folder + u"/epochs.gif"_s);
  QCOMPARE(animation.imageCount(), 3);
  QVERIFY(!animation.read().isNull());
  QCOMPARE(animation.nextImageDelay(), 500);
  // The colours must match the picture as closely as a palette of 256 colours allows.
  const QImage seenSecond = animation.read();
  for (const QPoint at : {QPoint(4, 4), QPoint(150, 150), QPoint(900, 300)}) {
    const QColor wanted = second.pixelColor(at), found = seenSecond.pixelColor(at);
    QVERIFY(std::abs(wanted.red() - found.red()) <= 6);
    QVERIFY(std::abs(wanted.green() - found.green()) <= 6);
    QVERIFY(std::abs(wanted.blue() - found.blue()) <= 6);
  }
  stage_->page().setMode(InspectModeKind::image);
  QTRY_VERIFY(stage_->engine->inspections().size() > asked);
  QTRY_COMPARE(lambdaNow(), stage_->seen().lambdas.total);
}

void TestInspectEpochs::aDamagedEpochIsNamedAndTheOthersArePlayed() {
  const RunSummary run = runOfThreeEpochs();
  std::filesystem::resize_file(run.path / "inspection" / "epoch-0002.safetensors", 100);
  stage_->show(run);
  QSignalSpy told(&stage_->page(), &InspectPage::told);
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 2);
  QCOMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().contains(u"epoch-0002.safetensors"_s));
}

void TestInspectEpochs::epochsOfARegressionAreShown() {
  const TemporaryFolder pictures;
  RunRecord record = smallRecord("numbers");
  record.config = regressionRun(writeNumberedPictures(pictures.path(), 80));
  const RunSummary run = writeSummary(stage_->library(), "numbers", record);
  for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, {layerOf(run)});
  showEpochs(run);
  // The image comes once the data is loaded.
  QTRY_VERIFY(stage_->part<ImagePanel>().image().hasImage());
}

void TestInspectEpochs::aRunWithoutSnapshotsSaysSo() {
  stage_->show(stage_->writtenRun("hybrid"));
  stage_->page().setMode(InspectModeKind::epochs);
  const auto says = [this] {
    for (const QLabel* label : stage_->part<EpochPlayer>().findChildren<QLabel*>()) {
      if (label->text() == u"No snapshots stored"_s) return true;
    }
    return false;
  };
  QTRY_VERIFY(says());
  stage_->part<EpochPlayer>().togglePlaying();
  QVERIFY(!stage_->part<EpochPlayer>().isPlaying());
}

void TestInspectEpochs::everyLayerHasItsPictureAndTheEmbeddingsTheirChange() {
  const RunSummary run = stage_->writtenRun("hybrid");
  const auto layers = inspectableLayers(run.record.config.architecture);
  for (const int epoch : {1, 2}) writeProbe(run.path, epoch, layers);
  stage_->show(run);
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 2);
  auto& list = stage_->part<LayerList>();
  const auto picture = [&](int row) { return list.item(row)->data(Qt::UserRole).value<QImage>(); };
  for (int row = 0; row < list.count(); ++row) QVERIFY(!picture(row).isNull());
  const QImage last = picture(1);
  stage_->part<EpochPlayer>().step(-1);
  QVERIFY(picture(1) != last);
  stage_->part<QTabWidget>().setCurrentIndex(1);
  const auto& embeddings = stage_->part<EmbeddingsPanel>();
  QVERIFY(embeddings.showsChange());
  const auto& tiles = stage_->part<EmbeddingsPanel>().tiles();
  QVERIFY(tiles.data().title.startsWith(u"Change since the start"_s));
  const ColorRange range = tiles.range();
  stage_->part<EpochPlayer>().step(1);
  QCOMPARE(tiles.range(), range);
}

void TestInspectEpochs::theEffectIsOnlyOfferedWhereItIsKnown() {
  const RunSummary run = runOfThreeEpochs();
  stage_->show(run);
  auto& panel = stage_->part<ImagePanel>();
  const auto buttons = panel.findChildren<QToolButton*>();
  const auto found = std::ranges::find(buttons, u"Effect"_s, &QToolButton::text);
  QVERIFY(found != buttons.end());
  QToolButton& effect = **found;
  QTRY_VERIFY(!panel.image().overlay().cells.empty());
  QTest::mouseClick(&effect, Qt::LeftButton);
  const Array map = panel.image().overlay().cells;
  QVERIFY(!map.empty());
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 3);
  QVERIFY(!effect.isEnabled() && !effect.isChecked());
  QVERIFY2(effect.toolTip().contains(u"does not store"_s), qPrintable(effect.toolTip()));
  QVERIFY(!panel.image().overlay().cells.empty());
  QTest::keyClick(&panel, Qt::Key_4);
  QVERIFY(!panel.image().overlay().cells.empty());
  // The choice comes back with the image.
  stage_->page().setMode(InspectModeKind::image);
  QTRY_VERIFY(effect.isEnabled() && effect.isChecked());
  QTRY_COMPARE(panel.image().overlay().cells, map);
}

void TestInspectEpochs::theSequenceIsSavedWhileAnotherModeIsShown() {
  showEpochs(runOfThreeEpochs());
  auto& player = stage_->part<EpochPlayer>();
  QSignalSpy exported(&player, &EpochPlayer::exported);
  const QString folder = stage_->folder.filePath(u"sequence"_s);
  player.exportTo(folder);
  stage_->page().setMode(InspectModeKind::image);
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(exported.count(), 1);
  QCOMPARE(exported[0][1].toString(), QString());
  QVERIFY(QDir(folder).exists(u"epochs.gif"_s));
}

void TestInspectEpochs::cancellingDoesNotWaitForThePictureUnderWay() {
  showEpochs(runOfThreeEpochs());
  auto& player = stage_->part<EpochPlayer>();
  QSignalSpy exported(&player, &EpochPlayer::exported);
  const QString folder = stage_->folder.filePath(u"cancelled"_s);
  player.exportTo(folder);
  player.cancelExport();
  // Another export follows the picture under way.
  const QString other = stage_->folder.filePath(u"after the cancelled one"_s);
  player.exportTo(other);
  QTRY_COMPARE(exported.count(), 1);
  QCOMPARE(exported[0][0].toString(), other);
  QVERIFY(!QDir(folder).exists(u"epochs.gif"_s));
}

void TestInspectEpochs::onlyTheNewestRequestedEpochIsRead() {
  ProbeReader reader(0);
  QSignalSpy opened(&reader, &ProbeReader::opened), read(&reader, &ProbeReader::probeRead);
  const RunSummary run = runOfThreeEpochs();
  reader.open(run.path / "inspection", {layerOf(run)});
  QVERIFY(opened.wait());
  for (const int index : {2, 0, 1}) QVERIFY(!reader.probe(index));
  QVERIFY(read.wait());
  QCOMPARE(read[0][0].value<std::shared_ptr<const ProbeSnapshot>>()->epoch, 2);
  QVERIFY(!read.wait(50));
}

void TestInspectEpochs::anEpochThatIsGoneIsNamedAndEndsThePlaying() {
  const RunSummary run = runOfThreeEpochs();
  EpochPlayer player(0);
  QSignalSpy shown(&player, &EpochPlayer::probeShown), lost(&player, &EpochPlayer::epochLost);
  player.setLayer(layerOf(run));
  player.open(run.path / "inspection", {layerOf(run)});
  QTRY_COMPARE(shown.count(), 1);
  std::filesystem::remove(run.path / "inspection" / "epoch-0002.safetensors");
  player.togglePlaying();
  QTRY_COMPARE(lost.count(), 1);
  QVERIFY(lost[0][0].toString().startsWith(u"Could not read epoch 2. "_s));
  QVERIFY(!player.isPlaying());
  QCOMPARE(shown.count(), 2);
  player.step(1);
  QTRY_COMPARE(shown.count(), 3);
}

void TestInspectEpochs::aLostEpochIsShownInPlaceOfThePanels() {
  showEpochs(runOfThreeEpochs());
  auto& deck = stage_->part<PanelDeck>();
  Q_EMIT stage_->part<EpochPlayer>().epochLost(u"Could not read epoch 2."_s);
  QVERIFY(deck.showsFailure());
  Q_EMIT deck.retryRequested();
  QTRY_VERIFY(!deck.showsFailure());
}

void TestInspectEpochs::theReadoutOfTheNormsStaysWhileEpochsAreShown() {
  const RunSummary run = runOfThreeEpochs();
  showEpochs(run);
  auto& strip = stage_->part<NormStrip>();
  const auto drawn = [&strip] {
    QTest::qWait(50);
    return strip.grab().toImage();
  };
  const QImage plain = drawn();
  QTest::mouseMove(&strip, strip.rect().center());
  const QImage withReadout = drawn();
  QVERIFY(withReadout != plain);
  stage_->part<EpochPlayer>().setLayer(layerOf(run));
  QCOMPARE(drawn(), withReadout);
}

void TestInspectEpochs::theReadoutOfTheNormsIsWhole() {
  NormStrip strip;
  strip.resize(600, strip.sizeHint().height());
  strip.setNorms({{.epoch = 0, .content = 1, .position = 2, .embeddings = 3},
                  {.epoch = 1, .content = 2, .position = 156, .embeddings = 4}});
  strip.show();
  QVERIFY(QTest::qWaitForWindowExposed(&strip));
  const QPoint last(strip.width() * 3 / 4, strip.height() / 2);
  // The axes have no place before they are drawn.
  const auto isRead = [&] {
    QMouseEvent move(QEvent::MouseMove,
                     last,
                     strip.mapToGlobal(last),
                     Qt::NoButton,
                     Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(&strip, &move);
    return QToolTip::isVisible();
  };
  QTRY_VERIFY(isRead());
  const QStringList lines = QToolTip::text().split(u'\n');
  QCOMPARE(lines.size(), 4);
  QCOMPARE(lines[0], u"Epoch 1"_s);
  const QString names[] = {u"content λ"_s, u"position λ"_s, u"embeddings"_s};
  for (int i = 0; i < 3; ++i) QVERIFY2(lines[i + 1].startsWith(names[i]), qPrintable(lines[i + 1]));
  strip.setNorms({});
  QTRY_VERIFY(!QToolTip::isVisible());
}

void TestInspectEpochs::theNamesOfTheNormsFitAboveThem_data() {
  QTest::addColumn<int>("width");
  QTest::newRow("three rows") << 300;
  QTest::newRow("two rows") << 480;
  QTest::newRow("beside the controls of a small window") << 580;
  QTest::newRow("one row") << 1200;
}

void TestInspectEpochs::theNamesOfTheNormsFitAboveThem() {
  QFETCH(int, width);

  struct Strip : NormStrip {
    using LinePlot::plot;
  };

  Strip strip;
  strip.setNorms({{.epoch = 0, .content = 1, .position = 2, .embeddings = 3},
                  {.epoch = 1, .content = 2, .position = 156, .embeddings = 4, .change = 0.931}});
  strip.resize(width, 1);
  strip.resize(width, strip.sizeHint().height());
  strip.show();
  strip.plot().replot(QCustomPlot::rpImmediateRefresh);
  const QRect names = strip.plot().legend->outerRect();
  QVERIFY(strip.rect().contains(names));
  QVERIFY(names.height() >= strip.plot().legend->minimumOuterSizeHint().height());
  QVERIFY(names.width() >= strip.plot().legend->minimumOuterSizeHint().width());
  // The lowest row of pixels of an item is not drawn.
  for (int i = 0; i < strip.plot().legend->itemCount(); ++i) {
    // A place of its grid may be empty.
    const QCPAbstractLegendItem* item = strip.plot().legend->item(i);
    if (item) QVERIFY(item->outerRect().height() - 1 >= QFontMetrics(smallFont()).height());
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectEpochs)
#include "tst_inspect_epochs.moc"
