#include <QDir>
#include <QImageReader>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QtTest/QtTest>

#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestInspectEpochs : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void epochsArePlayedOnOneScaleAndSavedAsASequence();
  void aDamagedEpochIsNamedAndTheOthersArePlayed();
  void aRunWithoutSnapshotsSaysSo();
  void everyLayerHasItsPictureAndTheEmbeddingsTheirChange();

 private:
  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectEpochs::epochsArePlayedOnOneScaleAndSavedAsASequence() {
  const RunSummary run = stage_->writtenRun("hybrid");
  const InspectableLayer layer = inspectableLayers(run.record.config.architecture).front();
  for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, {layer});
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
  const QString cancelled = stage_->folder.filePath(u"cancelled"_s);
  player.exportTo(cancelled);
  player.cancelExport();
  QVERIFY(!QDir(cancelled).exists(u"epochs.gif"_s));
  QCOMPARE(exported.count(), 1);
  stage_->page().setMode(InspectModeKind::image);
  QTRY_VERIFY(stage_->engine->inspections().size() > asked);
  QTRY_COMPARE(lambdaNow(), stage_->seen().lambdas.total);
}

void TestInspectEpochs::aDamagedEpochIsNamedAndTheOthersArePlayed() {
  const RunSummary run = stage_->writtenRun("hybrid");
  const InspectableLayer layer = inspectableLayers(run.record.config.architecture).front();
  for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, {layer});
  std::filesystem::resize_file(run.path / "inspection" / "epoch-0002.safetensors", 100);
  stage_->show(run);
  QSignalSpy told(&stage_->page(), &InspectPage::told);
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 2);
  QCOMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().contains(u"epoch-0002.safetensors"_s));
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

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectEpochs)
#include "tst_inspect_epochs.moc"
