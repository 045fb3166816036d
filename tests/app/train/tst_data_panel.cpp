#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/session/data_location.h"
#include "app/train/data/augmentation_preview.h"
#include "app/train/data/data_panel.h"
#include "app/train/data/sample_images.h"
#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/files/sha256.h"
#include "engine/values/config/fields.h"
#include "tests/support/http_server.h"
#include "tests/support/small_cifar10.h"
#include "tests/support/small_data_sets.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

/// Services that check data sets of ten images per file; their download fails by default.
DataPanel::Services smallServices() {
  return {[](const DataSource& source) { return checkCifar(*pathOf(source), kSmallLayout); },
          [](const fs::path& folder) {
            DownloadRequest request = cifar10Download(folder);
            request.url = "http://127.0.0.1:1/nothing";
            request.domain = "127.0.0.1";
            request.allowLoopbackHttp = true;
            return request;
          }};
}

struct Shown {
  DataPanel panel;
  QSignalSpy chosen{&panel, &DataPanel::sourceChosen};

  explicit Shown(DataPanel::Services services = smallServices()) : panel(std::move(services)) {
    panel.resize(380, 300);
    panel.show();
  }

  QString text() const { return panel.findChild<QLabel*>(u"dataState"_s)->text(); }

  QPushButton* download() const { return panel.findChild<QPushButton*>(u"download"_s); }

  DataSource lastChosen() const { return chosen.back().front().value<DataSource>(); }
};

}  // namespace

class TestDataPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void shapes10NeedsNothing() {
    Shown shown;
    shown.panel.setSource(Shapes10Source());
    QCOMPARE(shown.panel.state(), DataState::builtIn);
    QVERIFY(shown.panel.problems().empty());
    QVERIFY(!shown.download()->isVisible());
  }

  void cifar10ThatIsNotThereOffersTheDownload() {
    Shown shown;
    shown.panel.setDataFolder(path() / "none");
    shown.panel.setSource(Cifar10Source());
    QTRY_COMPARE(shown.panel.state(), DataState::missing);
    QVERIFY(shown.download()->isVisible());
    const std::vector<Problem> problems = shown.panel.problems();
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].path, std::string("data.source"));
    QCOMPARE(problems[0].fix->value, std::string("\"shapes10\""));
  }

  void aChosenFolderThatIsMissingIsNamed() {
    Shown shown;
    const std::string missing = (path() / "elsewhere").string();
    shown.panel.setSource(Cifar10Source{missing});
    QTRY_COMPARE(shown.panel.state(), DataState::missing);
    QCOMPARE(shown.panel.findChild<QLineEdit*>()->text(), QString::fromStdString(missing));
  }

  void aWholeFolderIsCounted() {
    writeSmallCifar10(path());
    Shown shown;
    shown.panel.setSource(Cifar10Source{path().string()});
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    QVERIFY2(shown.text().contains(u"50 images for training"_s), qPrintable(shown.text()));
    QVERIFY(shown.text().contains(u"10 for the test"_s));
    QVERIFY(shown.panel.problems().empty());
  }

  void cifar10IsFoundInTheDataFolder() {
    writeSmallCifar10(path());
    Shown shown;
    shown.panel.setDataFolder(path());
    shown.panel.setSource(Cifar10Source());
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    QVERIFY(shown.panel.resolvedSource() == DataSource(Cifar10Source{path().string()}));
  }

  void noRunBeginsBeforeTheFilesAreLookedFor() {
    writeSmallCifar10(path());
    Shown shown;
    shown.panel.setDataFolder(path());
    shown.panel.setSource(Cifar10Source());
    const std::vector<Problem> problems = shown.panel.problems();
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].severity, Severity::error);
    QTRY_VERIFY(shown.panel.problems().empty());
    QVERIFY(shown.panel.resolvedSource() == DataSource(Cifar10Source{path().string()}));
  }

  void theSameDataFolderChecksNothing() {
    writeSmallCifar10(path());
    Shown shown;
    shown.panel.setDataFolder(path());
    shown.panel.setSource(Cifar10Source());
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    shown.panel.setDataFolder(path());
    QCOMPARE(shown.panel.state(), DataState::usable);
    QVERIFY(shown.panel.dataset());
  }

  void aDamagedArchiveSaysWhatIsWrong() {
    const fs::path archive = path() / "cifar-10-binary.tar.gz";
    const std::string whole = tarOf(smallEntries());
    writeFileDurably(archive, whole.substr(0, whole.size() / 2));
    Shown shown;
    shown.panel.setSource(Cifar10Source{archive.string()});
    QTRY_COMPARE(shown.panel.state(), DataState::damaged);
    QVERIFY(!shown.text().isEmpty());
    QCOMPARE(shown.panel.problems().size(), std::size_t{1});
  }

  void aFolderWithOneFileMissingNamesIt() {
    writeSmallCifar10(path());
    fs::remove(path() / "data_batch_3.bin");
    Shown shown;
    shown.panel.setSource(Cifar10Source{path().string()});
    QTRY_COMPARE(shown.panel.state(), DataState::damaged);
    QVERIFY2(shown.text().contains(u"data_batch_3.bin"_s), qPrintable(shown.text()));
    QVERIFY2(!shown.text().contains(u"lambda data"_s), qPrintable(shown.text()));
  }

  void onlyTheNewestChoiceIsAnswered() {
    writeSmallCifar10(path() / "good");
    fs::create_directories(path() / "bad");
    Shown shown;
    for (int i = 0; i < 5; ++i) {
      shown.panel.setSource(Cifar10Source{(path() / "bad").string()});
      shown.panel.setSource(Cifar10Source{(path() / "good").string()});
    }
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    QTest::qWait(50);
    QCOMPARE(shown.panel.state(), DataState::usable);
  }

  void buttonsAskForASource() {
    Shown shown;
    for (QToolButton* button : shown.panel.findChildren<QToolButton*>()) {
      if (button->text() == u"CIFAR-10"_s) button->click();
    }
    QVERIFY(shown.lastChosen() == DataSource(Cifar10Source()));
  }

  void aDroppedFolderIsRecognisedAndTellsWhatItHolds() {
    writeSmallIdx(path());
    Shown shown(DataPanel::realServices());
    QVERIFY(shown.panel.offer(path()));
    QVERIFY(shown.lastChosen() == DataSource(IdxSource{path().string()}));
    shown.panel.setSource(shown.lastChosen());
    QVERIFY(!shown.panel.dataset());
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    QVERIFY((shown.panel.dataset()->shape == MapShape{1, 12, 10}));
    QVERIFY2(shown.text().contains(u"10 classes, 1×12×10"_s), qPrintable(shown.text()));
    QVERIFY(!shown.download()->isVisible());
    shown.panel.setSource(IdxSource{(path() / "none").string()});
    QTRY_COMPARE(shown.panel.state(), DataState::missing);
    QVERIFY(shown.text().contains(u"train-images-idx3-ubyte"_s));
    QVERIFY(!shown.download()->isVisible());
  }

  void aTextTellsItsSequences() {
    writeFileDurably(path() / "book.txt", std::string(3000, 'a') + "\r\n");
    Shown shown(DataPanel::realServices());
    QVERIFY(shown.panel.offer(path() / "book.txt"));
    QVERIFY(shown.lastChosen() == DataSource(TextSource{(path() / "book.txt").string()}));
    shown.panel.setSource(TextSource{(path() / "book.txt").string(), 50});
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
    QVERIFY2(shown.text().contains(u"54 sequences for training, 2 for validation, 2 for the test, "
                                   "vocabulary 256, 50 tokens each"_s),
             qPrintable(shown.text()));
    auto* findings = shown.panel.findChild<QToolButton*>(u"classes"_s);
    QVERIFY(findings->isVisible());
    QCOMPARE(findings->text(), u"Findings"_s);
  }

  void everyKindHasItsButton() {
    Shown shown;
    for (std::size_t kind = 0; kind < KindsOf<DataSource>::names.size(); ++kind) {
      const DataSource source = valueOfKind<DataSource>(kind);
      shown.panel.setSource(kind == 0 ? DataSource(Cifar10Source()) : DataSource());
      for (QToolButton* button : shown.panel.findChildren<QToolButton*>()) {
        if (button->text().toStdString() == traitsOf(source).title) button->click();
      }
      QVERIFY(shown.lastChosen() == source);
    }
  }

  void archivesAndFoldersCanBeDroppedButNoRuns() {
    Shown shown;
    QVERIFY(shown.panel.offer(path()));
    QVERIFY(shown.panel.offer("/somewhere/cifar-10-binary.tar.gz"));
    QVERIFY(!shown.panel.offer("/somewhere/network.json"));
    QVERIFY(shown.panel.offer("/somewhere/book.txt"));
    writeFileDurably(path() / "run.json", "{}");
    QVERIFY(!shown.panel.offer(path()));
    shown.panel.setReadOnly(true);
    QVERIFY(!shown.panel.offer("/somewhere/cifar-10-binary.tar.gz"));
  }

  void aFailedDownloadSaysWhyAndCanBeTriedAgain() {
    Shown shown;
    shown.panel.setDataFolder(path() / "data");
    shown.panel.setSource(Cifar10Source());
    QTRY_VERIFY(shown.download()->isVisible());
    shown.download()->click();
    QVERIFY(!shown.download()->isVisible());
    auto* state = shown.panel.findChild<QLabel*>(u"downloadState"_s);
    QTRY_VERIFY(state->isVisible());
    QVERIFY(!state->text().isEmpty());
    QVERIFY(shown.download()->isVisible());
  }

  void aDownloadIsCheckedAndChosen() {
    const std::string archive = tarOf(smallEntries());
    ServedFile file;
    file.bytes = archive;
    HttpServer server(file);
    DataPanel::Services services = smallServices();
    services.download = [&](const fs::path& folder) {
      DownloadRequest request;
      request.url = server.url();
      request.domain = "127.0.0.1";
      request.sha256 = sha256Hex(archive);
      request.bytes = archive.size();
      request.destination = folder / "cifar-10-binary.tar.gz";
      request.allowLoopbackHttp = true;
      return request;
    };
    Shown shown(services);
    shown.panel.setDataFolder(path() / "data");
    shown.panel.setSource(Cifar10Source());
    shown.download()->click();
    QTRY_COMPARE(shown.chosen.count(), 1);
    shown.panel.setSource(shown.lastChosen());
    QTRY_COMPARE(shown.panel.state(), DataState::usable);
  }

  void samplesComeFromWhatIsThere() {
    SampleSet drawn = readSamples(Shapes10Source(), 12);
    QCOMPARE(drawn.images.count(), std::size_t{12});
    QVERIFY(drawn.problem.isEmpty());
    QVERIFY(!readSamples(Cifar10Source{(path() / "none").string()}, 12).problem.isEmpty());
  }

  void previewShowsWhatTrainingDoes() {
    AugmentationPreview preview;
    auto samples = std::make_shared<SampleSet>(readSamples(Shapes10Source(), 12));
    AugmentationConfig none{.cropPadding = 0, .horizontalFlip = false, .cutoutSize = 0};
    preview.setAugmentation(none, 1);
    preview.setSamples(samples);
    QCOMPARE(preview.rows().size(), std::size_t{3});
    for (const auto& row : preview.rows()) {
      QCOMPARE(row.size(), std::size_t{9});
      for (const QImage& image : row) QCOMPARE(image, row.front());
    }
    AugmentationConfig some = none;
    some.cutoutSize = 16;
    preview.setAugmentation(some, 1);
    for (const auto& row : preview.rows()) QVERIFY(row[1] != row.front());
    const QImage first = preview.rows()[0][0];
    preview.showNext();
    QVERIFY(preview.rows()[0][0] != first);
    AugmentationConfig tooFar = none;
    tooFar.cropPadding = 40;
    preview.setAugmentation(tooFar, 1);
    QVERIFY(preview.rows().empty());
    preview.resize(300, 100);
    QVERIFY(!preview.grab().isNull());
  }

 private:
  fs::path path() const { return folder_->path().toStdString(); }

  std::unique_ptr<QTemporaryDir> folder_;
};

}  // namespace lambda

QTEST_MAIN(lambda::TestDataPanel)
#include "tst_data_panel.moc"
