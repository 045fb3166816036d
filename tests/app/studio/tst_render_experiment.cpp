#include <memory>

#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/studio/render_experiment.h"
#include "engine/runtime/error.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

/// The pictures of an experiment, written without a window.
class TestRenderExperiment : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void everySensiblePictureIsWrittenInEveryFormat();
  void anExperimentWithoutAnEpochHasNothingToDraw();
  void aFolderThatIsNoExperimentIsAnErrorThatNamesIt();

 private:
  /// Two widths of the first layer, two seeds.
  ExperimentFolder experiment() {
    Experiment experiment;
    experiment.name = "widths";
    experiment.question = "How wide?";
    experiment.base = tinyRun();
    experiment.axes = {Axis{.path = "architecture.stem.width", .values = {"8", "16"}}};
    experiment.seeds = {0, 1};
    experiment.measures = {Measure{Quantity::testAccuracy}, Measure{Quantity::parameters}};
    return ExperimentFolder::create(folder_->path().toStdString(), experiment);
  }

  QString path(const ExperimentFolder& folder) const {
    return QString::fromStdString(folder.path().string());
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

void TestRenderExperiment::everySensiblePictureIsWrittenInEveryFormat() {
  const ExperimentFolder folder = experiment();
  for (const PlannedRun& run : folder.plan().runs) {
    const double accuracy = 0.5 + 0.1 * static_cast<double>(run.variant + run.seed);
    writeTraining(folder,
                  run,
                  {.accuracies = {accuracy - 0.1, accuracy},
                   .parameters = 1000 * (1 + static_cast<std::int64_t>(run.variant))});
  }
  const QString place = folder_->filePath(u"pictures"_s);
  QStringList stems;
  for (const QString& file : renderExperiment(path(folder), place)) {
    QVERIFY2(QFileInfo(file).size() > 60, qPrintable(file));
    if (file.endsWith(u".png"_s)) stems << QFileInfo(file).completeBaseName();
  }
  QCOMPARE(stems,
           (QStringList{u"effects-testAccuracy"_s,
                        u"effects-parameters"_s,
                        u"curves-validationAccuracy"_s,
                        u"curves-validationLoss"_s,
                        u"curves-trainingLoss"_s,
                        u"sweep-testAccuracy"_s,
                        u"sweep-parameters"_s,
                        u"against-parameters-testAccuracy"_s,
                        u"against-flops-testAccuracy"_s,
                        u"against-imagesPerSecond-testAccuracy"_s,
                        u"against-parameters-validationAccuracy"_s,
                        u"against-flops-validationAccuracy"_s,
                        u"against-imagesPerSecond-validationAccuracy"_s}));
  for (const QString& stem : stems) {
    for (const QString& suffix : {u".png"_s, u".svg"_s, u".pdf"_s, u".csv"_s}) {
      QVERIFY2(QFileInfo::exists(QDir(place).filePath(stem + suffix)), qPrintable(stem + suffix));
    }
    const QImage image(QDir(place).filePath(stem + u".png"_s));
    QVERIFY(image.width() > 800);
    QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));
  }
  QFile csv(QDir(place).filePath(u"sweep-testAccuracy.csv"_s));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  const QByteArray text = csv.readAll();
  QVERIFY2(text.startsWith("line,run,Width,\"Test accuracy, %\",runs,low,high\n,,8,55,2,"),
           text.constData());
}

void TestRenderExperiment::anExperimentWithoutAnEpochHasNothingToDraw() {
  const QString place = folder_->filePath(u"empty"_s);
  try {
    renderExperiment(path(experiment()), place);
    QFAIL("An experiment without runs was drawn.");
  } catch (const Error& error) {
    QVERIFY2(QString::fromStdString(error.what()).contains(u"nothing to draw"_s), error.what());
  }
  QVERIFY(QDir(place).isEmpty());
}

void TestRenderExperiment::aFolderThatIsNoExperimentIsAnErrorThatNamesIt() {
  const QString nothing = folder_->filePath(u"nothing"_s);
  try {
    renderExperiment(nothing, folder_->path());
    QFAIL("A folder that is no experiment was accepted.");
  } catch (const Error& error) {
    QVERIFY(QString::fromStdString(error.what()).contains(nothing));
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRenderExperiment)

#include "tst_render_experiment.moc"
