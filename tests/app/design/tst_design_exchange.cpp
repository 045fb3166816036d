#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMimeData>
#include <QtTest/QtTest>

#include "app/design/network_clipboard.h"
#include "app/design/notice_line.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/fragment_json.h"
#include "engine/runs/run_export.h"
#include "tests/support/design_studio.h"
#include "widgets/network/network_actions.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

using test::DesignStudio;
using test::preset;

namespace {

void press(DesignStudio& studio, Qt::Key key) {
  QTest::keyClick(&studio.editor(), key, Qt::ControlModifier);
}

QString notice(DesignStudio& studio) {
  return studio.page->findChild<NoticeLine*>()->text();
}

const Architecture& networkOf(DesignStudio& studio) {
  return studio.document.config().architecture;
}

}  // namespace

class TestDesignExchange : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void blocksAreCopiedAndPasted();
  void stagesAreCutAndPasted();
  void aCopyIsPastedIntoAnotherWindow();
  void aDuplicateLeavesTheClipboardAlone();
  void foreignTextIsRefused_data();
  void foreignTextIsRefused();
  void whatHasNoPlaceIsRefused();
  void noticesLeaveWithTheNextEdit();
  void whatFittingChangesIsTold();
  void theNetworkIsExported();
};

void TestDesignExchange::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(u"lambda-studio-design-tests"_s);
  applyTheme(*qApp, ThemeChoice::light);
}

void TestDesignExchange::blocksAreCopiedAndPasted() {
  DesignStudio studio(preset("cpu-hybrid"));
  const Architecture before = networkOf(studio);
  studio.editor().setSelection({blockPart(1, 1), blockPart(1, 2)});
  press(studio, Qt::Key_C);
  QVERIFY(!studio.document.isModified());
  const QMimeData* data = QApplication::clipboard()->mimeData();
  QVERIFY(data->hasFormat(QString::fromLatin1(kFragmentType)));
  QVERIFY(data->text().contains(u"\"networkParts\""_s));
  studio.click(blockPart(0, 0));
  press(studio, Qt::Key_V);
  QCOMPARE(patternOf(networkOf(studio)), std::string("CCLC-CCL-CCL"));
  QVERIFY(blockOf(networkOf(studio), blockPart(0, 2)) == before.stages[1].blocks[2]);
  QVERIFY((studio.editor().selection() == Selection{blockPart(0, 1), blockPart(0, 2)}));
  QCOMPARE(studio.document.undoStack().count(), 1);
  QCOMPARE(studio.stepText(), u"Paste 2 blocks"_s);
  studio.actions.undoAction()->trigger();
  QVERIFY(networkOf(studio) == before);
}

void TestDesignExchange::stagesAreCutAndPasted() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.click(stagePart(0));
  press(studio, Qt::Key_X);
  QCOMPARE(patternOf(networkOf(studio)), std::string("CCL-CCL"));
  QCOMPARE(studio.stepText(), u"Cut a stage"_s);
  studio.click(stagePart(1));
  press(studio, Qt::Key_V);
  QCOMPARE(patternOf(networkOf(studio)), std::string("CCL-CCL-C"));
  QCOMPARE(networkOf(studio).stages[2].width, 64);
  QCOMPARE(studio.stepText(), u"Paste a stage"_s);
  QCOMPARE(studio.document.undoStack().count(), 2);
}

void TestDesignExchange::aCopyIsPastedIntoAnotherWindow() {
  {
    DesignStudio studio(preset("cpu-hybrid"));
    studio.click(blockPart(2, 2));
    press(studio, Qt::Key_C);
  }
  // An editor keeps the text alone.
  QApplication::clipboard()->setText(QApplication::clipboard()->text());
  DesignStudio other(preset("quickstart"));
  other.click(blockPart(0, 0));
  press(other, Qt::Key_V);
  QCOMPARE(patternOf(networkOf(other)), std::string("CL-CLL"));
}

void TestDesignExchange::aDuplicateLeavesTheClipboardAlone() {
  DesignStudio studio(preset("cpu-hybrid"));
  QApplication::clipboard()->setText(u"mine"_s);
  studio.click(blockPart(1, 2));
  press(studio, Qt::Key_D);
  QCOMPARE(patternOf(networkOf(studio)), std::string("C-CCLL-CCL"));
  QCOMPARE(studio.stepText(), u"Duplicate a block"_s);
  QCOMPARE(QApplication::clipboard()->text(), u"mine"_s);
  studio.editor().setSelection({kStemPart});
  QVERIFY(!studio.editor().actions().copy->isEnabled());
  studio.editor().setSelection({stagePart(0), blockPart(1, 0)});
  QVERIFY(!studio.editor().actions().duplicate->isEnabled());
}

void TestDesignExchange::foreignTextIsRefused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("reason");
  QTest::newRow("nothing") << QString() << u"has no blocks or stages"_s;
  QTest::newRow("prose") << u"Dear reader"_s << u"has no blocks or stages"_s;
  const QString whole = QString::fromStdString(toJson(NetworkFragment{{}, {Block{LambdaMixer{}}}}));
  QTest::newRow("cut off") << whole.chopped(20) << u"damaged"_s;
  QTest::newRow("out of range") << QString(whole).replace(u"\"k\": 16"_s, u"\"k\": 0"_s)
                                << u"networkParts.blocks[0].mixer.k"_s;
  QTest::newRow("empty") << u"{\"schema\": 1, \"networkParts\": {}}"_s << u"neither stages"_s;
  QTest::newRow("newer") << QString(whole).replace(u"\"schema\": 3"_s, u"\"schema\": 99"_s)
                         << u"newer"_s;
}

void TestDesignExchange::foreignTextIsRefused() {
  QFETCH(QString, text);
  QFETCH(QString, reason);
  DesignStudio studio(preset("cpu-hybrid"));
  QApplication::clipboard()->setText(text);
  studio.click(blockPart(0, 0));
  press(studio, Qt::Key_V);
  QVERIFY(!studio.document.isModified());
  QVERIFY2(notice(studio).startsWith(u"Could not paste: "_s), qPrintable(notice(studio)));
  QVERIFY2(notice(studio).contains(reason), qPrintable(notice(studio)));
}

void TestDesignExchange::whatHasNoPlaceIsRefused() {
  DesignStudio studio(preset("cpu-hybrid"));
  studio.editor().paste({std::vector<Stage>(30, Stage{64, 1, {Block{}}}), {}});
  QCOMPARE(networkOf(studio).stages.size(), 3u);
  QVERIFY(notice(studio).contains(u"at most 32 stages"_s));
}

void TestDesignExchange::noticesLeaveWithTheNextEdit() {
  DesignStudio studio(preset("cpu-hybrid"));
  QApplication::clipboard()->setText(u"foreign"_s);
  press(studio, Qt::Key_V);
  QVERIFY(!notice(studio).isEmpty());
  studio.click(blockPart(0, 0));
  press(studio, Qt::Key_D);
  QVERIFY(notice(studio).isEmpty());
}

void TestDesignExchange::whatFittingChangesIsTold() {
  RunConfig config = preset("cpu-hybrid");
  config.architecture.stages[0].width = 66;
  DesignStudio studio(config);
  studio.click(blockPart(0, 0));
  QTest::keyClick(&studio.editor(), Qt::Key_L);
  QVERIFY2(notice(studio).contains(u"Stage 1, block 1: Heads h 3 instead of 4"_s),
           qPrintable(notice(studio)));
}

void TestDesignExchange::theNetworkIsExported() {
  DesignStudio studio(preset("cpu-hybrid"));
  QCOMPARE(studio.page->exportAction()->isEnabled(), true);
  const auto exportAs = [&](const QString& filter, const QString& name) -> QByteArray {
    studio.page->exportAction()->trigger();
    auto* dialog = studio.page->findChild<QFileDialog*>();
    if (!dialog || !dialog->nameFilters().contains(filter)) return "no such format";
    dialog->selectNameFilter(filter);
    const QString path = studio.folder.filePath(name);
    Q_EMIT dialog->fileSelected(path);
    delete dialog;
    if (!QTest::qWaitFor([&] { return notice(studio).contains(name); })) return "no answer";
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no file");
  };
  const RunConfig& config = studio.document.config();
  QCOMPARE(exportAs(u"Network (*.json)"_s, u"a.json"_s),
           QByteArray::fromStdString(toJson(config.architecture)));
  const QByteArray layers = exportAs(u"Table of layers (*.csv)"_s, u"b.csv"_s);
  QVERIFY2(layers.startsWith("layer,kind,height,width,channels,parameters,"), layers);
  QCOMPARE(layers.count('\n'), 1 + qsizetype(costOf(config.architecture).layers.size()));
  QCOMPARE(exportAs(u"Network (*.json)"_s, u"missing/a.json"_s), QByteArray("no file"));
  QVERIFY(notice(studio).startsWith(u"Could not export"_s));
  // Formats that need weights are those of a run.
  QCOMPARE(exportAs(u"Weights (*.safetensors)"_s, u"c"_s), QByteArray("no such format"));
}

}  // namespace lambda

QTEST_MAIN(lambda::TestDesignExchange)
#include "tst_design_exchange.moc"
