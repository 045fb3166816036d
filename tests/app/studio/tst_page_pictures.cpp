#include <array>

#include <QApplication>
#include <QImage>
#include <QtTest/QtTest>

#include "app/runs/run_library.h"
#include "app/session/documents/project_document.h"
#include "app/studio/main_window.h"
#include "engine/formats/metrics/metrics_json.h"
#include "tests/support/picture_check.h"
#include "tests/support/studio_window.h"
#include "tests/support/written_runs.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

void writeFinishedRun(const std::string& name, double accuracy, std::uint64_t seed) {
  RunRecord record = finishedRecord(name);
  record.config.seed = seed;
  record.bestValidationScore = accuracy;
  const std::filesystem::path run =
      writeRun(RunLibrary::standardFolder(), "2026-11-21_01-02-23_" + name, record);
  for (int epoch = 1; epoch <= 6; ++epoch) {
    appendText(run / "metrics.jsonl", toLine(epochRecord(epoch, accuracy * epoch / 6)));
  }
  appendText(run / "checkpoints" / "last.safetensors", "60");
}

void nothing(StudioWindow&) {}

void twoRuns(StudioWindow& studio) {
  writeFinishedRun("first", 0.9, 0);
  writeFinishedRun("second", 0.8, 1);
  studio.workspaces().library().setFolder(RunLibrary::standardFolder());
  QTRY_COMPARE(studio.workspaces().library().runs().size(), std::size_t{2});
}

void problems(StudioWindow& studio) {
  RunConfig config = studio.document().config();
  config.recipe.epochs = 0;
  for (Stage& stage : config.architecture.stages) {
    for (Block& block : stage.blocks) {
      if (auto* lambda = std::get_if<LambdaMixer>(&block.mixer)) lambda->heads = 7;
    }
  }
  studio.document().edit(config, u"Set heads to 7"_s);
}

struct Picture {
  const char* name;
  Workspace workspace;
  ThemeChoice theme;
  void (*arrange)(StudioWindow&);
};

constexpr std::array kPictures{
    Picture{"welcome-light", Workspace::welcome, ThemeChoice::light, nothing},
    Picture{"welcome-dark", Workspace::welcome, ThemeChoice::dark, nothing},
    Picture{"design-light", Workspace::design, ThemeChoice::light, nothing},
    Picture{"design-dark", Workspace::design, ThemeChoice::dark, nothing},
    Picture{"design-problems", Workspace::design, ThemeChoice::light, problems},
    Picture{"train-light", Workspace::train, ThemeChoice::light, nothing},
    Picture{"train-dark", Workspace::train, ThemeChoice::dark, nothing},
    Picture{"train-problems", Workspace::train, ThemeChoice::light, problems},
    Picture{"inspect-light", Workspace::inspect, ThemeChoice::light, nothing},
    Picture{"inspect-dark", Workspace::inspect, ThemeChoice::dark, nothing},
    Picture{"inspect-run-light", Workspace::inspect, ThemeChoice::light, twoRuns},
    Picture{"inspect-run-dark", Workspace::inspect, ThemeChoice::dark, twoRuns},
    Picture{"runs-light", Workspace::runs, ThemeChoice::light, nothing},
    Picture{"runs-dark", Workspace::runs, ThemeChoice::dark, nothing},
    Picture{"runs-two-light", Workspace::runs, ThemeChoice::light, twoRuns},
    Picture{"runs-two-dark", Workspace::runs, ThemeChoice::dark, twoRuns},
};

QImage pictureOf(QWidget& page, double ratio) {
  QImage image(page.size() * ratio, QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  image.fill(Qt::black);
  page.render(&image);
  return image;
}

}  // namespace

/// The pages of the window at full size, in states that every start of the program can show.
class TestPagePictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void pagesLookAsTheyWere_data();
  void pagesLookAsTheyWere();
};

void TestPagePictures::initTestCase() {
  QApplication::setOrganizationName(u"lambda-studio-picture-tests"_s);
}

void TestPagePictures::pagesLookAsTheyWere_data() {
  QTest::addColumn<int>("picture");
  for (std::size_t i = 0; i < kPictures.size(); ++i) {
    QTest::newRow(kPictures[i].name) << static_cast<int>(i);
  }
}

void TestPagePictures::pagesLookAsTheyWere() {
  QFETCH(int, picture);
  const Picture& row = kPictures[static_cast<std::size_t>(picture)];
  StudioWindow studio;
  QTRY_COMPARE(studio.workspaces().library().state(), LibraryState::ready);
  studio.preferences().setTheme(row.theme);
  row.arrange(studio);
  studio.workspaces().goTo(row.workspace);
  // A stored picture must show a page that has finished loading.
  if (qEnvironmentVariableIsSet("LAMBDA_WRITE_PICTURES")) QTest::qWait(2000);
  // The page reads files on other threads, so the picture is compared until it is right.
  QString difference;
  const bool isAlike = QTest::qWaitFor(
      [&] {
        difference =
            differenceFromKept(pictureOf(studio.workspaces(), 1), QString::fromLatin1(row.name));
        return difference.isEmpty();
      },
      20000);
  QVERIFY2(isAlike, qPrintable(difference));
  const QImage large =
      pictureOf(studio.workspaces(), 2)
          .scaled(studio.workspaces().size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  QVERIFY(distanceBetween(large, pictureOf(studio.workspaces(), 1)) < 4);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestPagePictures)
#include "tst_page_pictures.moc"
