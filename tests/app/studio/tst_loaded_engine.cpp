#include <dlfcn.h>

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/studio/engine_module/load_engine.h"
#include "engine/runtime/error.h"

namespace lambda::test {

class TestLoadedEngine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMissingLibraryIsNamed();
  void aLibraryWithoutTheEngineIsNamed();
  void theEngineAnswersThroughItsLibrary();
  void itsErrorsArriveWithPlaceAndReason();
};

void TestLoadedEngine::aMissingLibraryIsNamed() {
  const EngineHandle engine = loadedEngine("/nowhere/lambda-engine.so");
  // A second call tries again and fails in the same way.
  for (int i = 0; i < 2; ++i) {
    try {
      engine->availableCores();
      QFAIL("The engine answered although its library is missing.");
    } catch (const Error& error) {
      QCOMPARE(error.place(), std::string("/nowhere/lambda-engine.so"));
      QVERIFY(QByteArray(error.what()).contains("No such file"));
      QVERIFY(!error.hint().empty());
    }
  }
}

void TestLoadedEngine::aLibraryWithoutTheEngineIsNamed() {
  const EngineHandle engine = loadedEngine("libm.so.6");
  try {
    engine->availableCores();
    QFAIL("The engine answered although the library is another one.");
  } catch (const Error& error) {
    QCOMPARE(error.place(), std::string("libm.so.6"));
    QVERIFY(QByteArray(error.what()).contains("lambdaMakeEngine"));
  }
}

void TestLoadedEngine::theEngineAnswersThroughItsLibrary() {
  const auto isLoaded = [] {
    return dlopen("lambda-engine.so", RTLD_NOW | RTLD_NOLOAD) != nullptr;
  };
  const EngineHandle engine = loadedEngine();
  QVERIFY(!isLoaded());
  QVERIFY(engine->availableCores() >= 1);
  QVERIFY(isLoaded());
  const ComputeDevice device = engine->selectDevice({.kind = DeviceKind::cpu, .threads = 1});
  QCOMPARE(device.kind, DeviceKind::cpu);
  QCOMPARE(device.threads, 1);
}

void TestLoadedEngine::itsErrorsArriveWithPlaceAndReason() {
  const QTemporaryDir folder;
  const std::string run = folder.filePath(QStringLiteral("no run")).toStdString();
  const EngineHandle engine = loadedEngine();
  try {
    engine->openCheckpoint(run, 1);
    QFAIL("A checkpoint was opened that does not exist.");
  } catch (const Error& error) {
    QVERIFY(QByteArray::fromStdString(error.place()).startsWith(run.c_str()));
    QVERIFY(!error.reason().empty());
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLoadedEngine)

#include "tst_loaded_engine.moc"
