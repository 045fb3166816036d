#include <string>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QToolButton>
#include <QtTest/QtTest>

#include "app/design/design_page.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_page.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/training/training_queue.h"
#include "app/variants/duplicate_dialog.h"
#include "engine/formats/json/presets.h"
#include "tests/support/studio_window.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/network/mixers/mixer_looks.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr std::size_t kSelfAttention = mixerKindOf<SelfAttentionMixer>();
constexpr std::size_t kLinear = mixerKindOf<LinearAttentionMixer>();

RunConfig preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings);
}

QCheckBox& boxOf(const DuplicateDialog& dialog, std::size_t kind) {
  QString text = kindPlural(kind);
  text[0] = text[0].toUpper();
  for (QCheckBox* box : dialog.findChildren<QCheckBox*>()) {
    if (box->text() == text) return *box;
  }
  qFatal("the dialog has no %s", qPrintable(text));
}

/// The configuration without what a variant changes.
RunConfig withoutMixers(RunConfig config, const RunConfig& original) {
  config.name = original.name;
  config.parentRun = original.parentRun;
  config.architecture = original.architecture;
  return config;
}

}  // namespace

/// Runs that repeat another with other mixers.
class TestDuplicateWithMixer : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void theBlocksOfEachKindCanBeReplaced() {
    const Architecture hybrid = preset("cpu-hybrid").architecture;
    const auto choices = replaceableMixers(hybrid);
    QCOMPARE(choices.size(), 3u);
    QCOMPARE(choices[0].text, u"All 2 lambda layers"_s);
    QCOMPARE(choices[1].text, u"All 6 convolutions"_s);
    QCOMPARE(choices[2].text, u"All 8 mixers"_s);
    QVERIFY(choices[2].blocks == allBlocks(hybrid));
    QCOMPARE(replaceableMixers(preset("resnet50-cifar").architecture).size(), 1u);
    QVERIFY(replaceableMixers(Architecture{}).empty());
  }

  void nothingButTheMixersDiffers() {
    RunConfig config = preset("cpu-hybrid");
    config.seed = 12;
    const Selection lambdas = replaceableMixers(config.architecture)[0].blocks;
    const RunConfig variant = withMixers(config, "cpu-hybrid", lambdas, kSelfAttention);
    QCOMPARE(variant.name, "cpu-hybrid with self-attention layers"s);
    QVERIFY(withoutMixers(variant, config) == config);
    Architecture expected = config.architecture;
    expected.name = variant.architecture.name;
    for (const PartId& part : lambdas) {
      blockOf(expected, part).mixer = blockOf(variant.architecture, part).mixer;
      QCOMPARE(blockOf(expected, part).mixer.index(), kSelfAttention);
    }
    QVERIFY(variant.architecture == expected);
  }

  void severalKindsAreRequestedAtOnce() {
    const RunConfig config = preset("cpu-hybrid");
    DuplicateDialog dialog(config, u"cpu-hybrid"_s);
    dialog.show();
    QSignalSpy queued(&dialog, &DuplicateDialog::queueRequested);
    QPushButton* open = visibleButton(dialog, u"Open in Train"_s);
    QPushButton* queue = visibleButton(dialog, u"Add to the queue"_s);
    QVERIFY(!open->isEnabled() && !queue->isEnabled());
    QVERIFY(!boxOf(dialog, mixerKindOf<LambdaMixer>()).isEnabled());
    QTest::mouseClick(&boxOf(dialog, kSelfAttention), Qt::LeftButton, {}, {8, 8});
    QVERIFY(open->isEnabled() && queue->isEnabled());
    boxOf(dialog, kLinear).setChecked(true);
    QVERIFY(!open->isEnabled());
    QCOMPARE(queue->text(), u"Add 2 runs to the queue"_s);
    QTest::mouseClick(queue, Qt::LeftButton);
    QVERIFY(!dialog.isVisible());
    QCOMPARE(queued.size(), 1);
    const auto configs = queued[0][0].value<std::vector<RunConfig>>();
    QCOMPARE(configs.size(), 2u);
    QCOMPARE(configs[1].name, "cpu-hybrid with linear attention layers"s);
  }

  void otherBlocksOfferOtherKinds() {
    DuplicateDialog dialog(preset("cpu-hybrid"), u"cpu-hybrid"_s);
    dialog.show();
    boxOf(dialog, 0).setChecked(true);
    auto* blocks = dialog.findChild<QComboBox*>();
    blocks->setCurrentIndex(1);
    QVERIFY(!boxOf(dialog, 0).isEnabled() && !boxOf(dialog, 0).isChecked());
    QVERIFY(boxOf(dialog, mixerKindOf<LambdaMixer>()).isEnabled());
  }

  void kindsThatCannotBeTrainedSayWhy() {
    RunConfig config = preset("cpu-hybrid");
    config.recipe.epochs = -1;
    DuplicateDialog dialog(config, u"cpu-hybrid"_s);
    QVERIFY(!boxOf(dialog, kSelfAttention).isEnabled());
    QVERIFY(!boxOf(dialog, kSelfAttention).accessibleDescription().isEmpty());
  }

  void aRunIsDuplicatedFromItsContextMenu() {
    StudioWindow studio;
    const TemporaryFolder folder;
    const std::filesystem::path run = listRun(studio, folder);
    const auto* page = studio->findChild<RunsPage*>();
    trigger(*page);
    DuplicateDialog& dialog = *studio->findChild<DuplicateDialog*>();
    QVERIFY(dialog.windowTitle().startsWith(u"Duplicate hybrid with"_s));
    boxOf(dialog, kSelfAttention).setChecked(true);
    QTest::mouseClick(visibleButton(dialog, u"Open in Train"_s), Qt::LeftButton);
    QTRY_COMPARE(studio.workspaces().current(), Workspace::train);
    const RunConfig& opened = studio.document().config();
    QCOMPARE(opened.name, "hybrid with self-attention layers"s);
    QCOMPARE(opened.parentRun, run.filename().string());
    QVERIFY(withoutMixers(opened, recordOfHybrid().config) == recordOfHybrid().config);
  }

  void theDetailsDuplicateTheirRun() {
    StudioWindow studio;
    const TemporaryFolder folder;
    listRun(studio, folder);
    const auto* page = studio->findChild<RunsPage*>();
    for (QAction* action : page->pageActions()) {
      if (action && action->text() == u"Show details"_s) action->trigger();
    }
    for (QToolButton* button : page->findChildren<QToolButton*>()) {
      if (button->isVisible() && button->text() == u"Duplicate …"_s) {
        button->click();
      }
    }
    QVERIFY(studio->findChild<DuplicateDialog*>());
  }

  void theDocumentIsDuplicatedIntoTheQueue() {
    StudioWindow studio;
    studio->workspaces().goTo(Workspace::design);
    studio.document().startFrom(preset("cpu-hybrid"));
    trigger(*studio->findChild<DesignPage*>());
    DuplicateDialog& dialog = *studio->findChild<DuplicateDialog*>();
    boxOf(dialog, kSelfAttention).setChecked(true);
    boxOf(dialog, kLinear).setChecked(true);
    QTest::mouseClick(visibleButton(dialog, u"Add 2 runs to the queue"_s), Qt::LeftButton);
    QTRY_COMPARE(studio.workspaces().current(), Workspace::train);
    auto* queue = studio->findChild<TrainingQueue*>();
    QTRY_COMPARE(queue->runs().size(), 2u);
    QCOMPARE(queue->runs()[0].config.name, "cpu-hybrid with self-attention layers"s);
    queue->trainNext();
    QTRY_COMPARE(studio.engine->trainings(), 2);
  }

 private:
  static RunRecord recordOfHybrid() {
    RunRecord record = finishedRecord("hybrid");
    const DataConfig data = record.config.data;
    record.config = preset("cpu-hybrid");
    record.config.name = "hybrid";
    record.config.data = data;
    record.config.seed = 7;
    return record;
  }

  /// Lists a run of that record, selected in Runs.
  static std::filesystem::path listRun(StudioWindow& studio, const TemporaryFolder& folder) {
    const std::filesystem::path run =
        writeRun(folder.path(), "2026-11-21_01-02-23_hybrid", recordOfHybrid());
    studio->workspaces().library().setFolder(folder.path());
    studio->workspaces().goTo(Workspace::runs);
    auto* table = studio->findChild<RunsPage*>()->findChild<RunTableView*>();
    [&] { QTRY_COMPARE(table->currentRun(), run); }();
    return run;
  }

  static void trigger(const Page& page) {
    for (QAction* action : page.pageActions()) {
      if (action && action->text() == u"Duplicate with another mixer …"_s) action->trigger();
    }
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestDuplicateWithMixer)
#include "tst_duplicate_with_mixer.moc"
