#include <fstream>

#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/training/training_session.h"
#include "app/studio/render_run.h"
#include "engine/runtime/error.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

class TestRenderRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writesCurvesOfARunInEveryFormat();
  void aFolderThatIsNoRunIsAnErrorThatNamesIt();
  void aPlaceThatCannotBeWrittenIsAnError();
  void aRunWithoutAStepHasNothingToDraw();

 private:
  QString trainedRun();

  QTemporaryDir folder_;
};

QString TestRenderRun::trainedRun() {
  ScriptedEngine engine;
  RunConfig config;
  config.name = "short";
  config.recipe.epochs = 2;
  RunControl control;
  Observer observer;
  return QString::fromStdString(
      engine.trainRun(config, folder_.path().toStdString(), control, observer).run);
}

void TestRenderRun::writesCurvesOfARunInEveryFormat() {
  const QStringList files = renderRun(trainedRun(), folder_.filePath(QStringLiteral("pictures")));
  QSet<QString> names;
  for (const QString& file : files) {
    QVERIFY2(QFileInfo(file).size() > 200, qPrintable(file));
    names << QFileInfo(file).fileName();
  }
  for (const char* name : {"curves.png", "curves.svg", "curves.pdf", "curves.csv"}) {
    QVERIFY2(names.contains(QString::fromLatin1(name)), name);
  }
  const QImage image(folder_.filePath(QStringLiteral("pictures/curves.png")));
  QVERIFY(image.width() > 800);
  QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));
  QSet<QRgb> colors;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) colors << image.pixel(x, y);
  }
  QVERIFY2(colors.size() > 10, "the picture is empty");
}

void TestRenderRun::aFolderThatIsNoRunIsAnErrorThatNamesIt() {
  const QString nothing = folder_.filePath(QStringLiteral("nothing"));
  try {
    renderRun(nothing, folder_.path());
    QFAIL("A folder that is no run was accepted.");
  } catch (const Error& error) {
    QVERIFY(QString::fromStdString(error.what()).contains(nothing));
  }
}

void TestRenderRun::aPlaceThatCannotBeWrittenIsAnError() {
  const QString file = folder_.filePath(QStringLiteral("file"));
  std::ofstream(file.toStdString()) << "x";
  QVERIFY_THROWS_EXCEPTION(Error, renderRun(trainedRun(), file + QStringLiteral("/pictures")));
}

void TestRenderRun::aRunWithoutAStepHasNothingToDraw() {
  const QString run = trainedRun();
  std::ofstream((run + QStringLiteral("/metrics.jsonl")).toStdString(), std::ios::trunc);
  const QString place = folder_.filePath(QStringLiteral("empty"));
  try {
    renderRun(run, place);
    QFAIL("A run without steps was accepted.");
  } catch (const Error& error) {
    QVERIFY2(QString::fromStdString(error.what()).contains(QStringLiteral("nothing to draw")),
             error.what());
  }
  QVERIFY(QDir(place).isEmpty());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRenderRun)

#include "tst_render_run.moc"
