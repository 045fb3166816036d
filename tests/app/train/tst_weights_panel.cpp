#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "app/train/weights/transfer_dialog.h"
#include "app/train/weights/weights_panel.h"
#include "tests/support/train_page_stage.h"
#include "widgets/forms/field_form.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

const std::string kFile = "/nets/resnet50.pth";

WeightTransfer outcome() {
  return {.taken = {{"stem.conv.weight", "conv1.weight"}, {"stem.norm.weight", "bn1.weight"}},
          .left = {{"fc.weight", "shape [1000, 8] instead of [10, 8]"}},
          .missing = {"head.weight"}};
}

/// The Train page with weights at the start.
class ShownWeights : public ShownTrainPage {
 public:
  ShownWeights() {
    change([](RunConfig& config) { config.start.weights = kFile; });
  }

  void change(const std::function<void(RunConfig&)>& make) {
    RunConfig config = document.config();
    make(config);
    document.edit(config, u"Change"_s);
  }

  QString text() const { return panel()->findChild<QLabel*>(u"weightsOutcome"_s)->text(); }

  WeightsPanel* panel() const { return page.findChild<WeightsPanel*>(); }

  template <class Widget>
  Widget* part(const QString& name) const {
    return panel()->findChild<Widget*>(name);
  }

  bool hasField(const std::string& path) const {
    for (FieldForm* form : page.findChildren<FieldForm*>()) {
      if (form->focusField(path)) return true;
    }
    return false;
  }

  QSignalSpy requests{&page, &TrainPage::weightsOutcomeRequested};
};

}  // namespace

class TestWeightsPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void weightsAreDrawnFromTheSeedAtFirst() {
    ShownTrainPage shown;
    auto* panel = shown.page.findChild<WeightsPanel*>();
    QCOMPARE(panel->findChild<ElidedLabel*>(u"weights"_s)->fullText(),
             u"Weights drawn from the seed"_s);
    QVERIFY(panel->findChild<QToolButton*>(u"removeWeights"_s)->isHidden());
    QVERIFY(panel->findChild<QLabel*>(u"weightsOutcome"_s)->isHidden());
  }

  void whatTheNetworkTakesIsShown() {
    ShownWeights shown;
    QCOMPARE(shown.requests.count(), 1);
    QCOMPARE(shown.part<ElidedLabel>(u"weights"_s)->fullText(), u"resnet50.pth"_s);
    QVERIFY(shown.text().startsWith(u"Comparing"_s));
    shown.page.setWeightsOutcome(outcome());
    QCOMPARE(shown.text(),
             u"Takes 2 of the network's 3 tensors. 1 tensor keeps its initial values. 1 tensor "
             u"of the file is left out."_s);
    shown.part<QToolButton>(u"weightsDetails"_s)->click();
    auto* dialog = shown.panel()->findChild<TransferDialog*>();
    QVERIFY(dialog != nullptr);
    auto* tree = dialog->findChild<QTreeWidget*>();
    QCOMPARE(tree->topLevelItemCount(), 3);
    QCOMPARE(tree->topLevelItem(1)->child(0)->text(1), u"shape [1000, 8] instead of [10, 8]"_s);
    QCOMPARE(tree->topLevelItem(2)->child(0)->text(1), u"conv1.weight"_s);
    dialog->close();
  }

  void theOutcomeIsAskedForWhereItCanChange() {
    ShownWeights shown;
    shown.change([](RunConfig& config) { config.recipe.epochs += 1; });
    QCOMPARE(shown.requests.count(), 1);
    shown.change([](RunConfig& config) { config.architecture.stem.width += 8; });
    QCOMPARE(shown.requests.count(), 2);
    shown.change([](RunConfig& config) { config.start.weights = "/nets/other.pt"; });
    QCOMPARE(shown.requests.count(), 3);
    QVERIFY(shown.text().startsWith(u"Comparing"_s));
    shown.change([](RunConfig& config) { config.architecture.stages.clear(); });
    QCOMPARE(shown.requests.count(), 3);
    QVERIFY(shown.text().contains(u"Design"_s));
  }

  void whyAFileCantBeUsedIsShown() {
    ShownWeights shown;
    shown.page.setWeightsFailure(u"there is no such file"_s);
    QCOMPARE(shown.text(), u"there is no such file"_s);
    QVERIFY(shown.part<QToolButton>(u"weightsDetails"_s)->isHidden());
  }

  void fineTuningHasItsFieldsWithWeights() {
    ShownTrainPage plain;
    ShownWeights shown;
    for (const char* path : {"start.frozenStages", "start.backboneRate"}) {
      QVERIFY(shown.hasField(path));
      bool isThere = false;
      for (FieldForm* form : plain.page.findChildren<FieldForm*>()) {
        isThere = isThere || form->focusField(path);
      }
      QVERIFY(!isThere);
    }
  }

  void removingIsOneUndoStep() {
    ShownWeights shown;
    shown.part<QToolButton>(u"removeWeights"_s)->click();
    QVERIFY(shown.document.config().start.weights.empty());
    shown.document.undoStack().undo();
    QCOMPARE(shown.document.config().start.weights, kFile);
    QCOMPARE(shown.requests.count(), 2);
  }

  void theOutcomeIsAskedForAgainAfterARun() {
    ShownWeights shown;
    shown.page.setWeightsOutcome(outcome());
    RunConfig other = smallTrainConfig(1);
    auto* setup = shown.page.findChild<SetupView*>();
    setup->showRun(other);
    setup->showDocument();
    QCOMPARE(shown.requests.count(), 2);
    shown.page.setWeightsOutcome(outcome());
    QVERIFY(shown.text().startsWith(u"Takes 2"_s));
  }

  void anAnswerThatCameTooLateIsIgnored() {
    ShownWeights shown;
    shown.part<QToolButton>(u"removeWeights"_s)->click();
    shown.page.setWeightsOutcome(outcome());
    QVERIFY(shown.part<QToolButton>(u"weightsDetails"_s)->isHidden());
    shown.page.setWeightsFailure(u"too late"_s);
    QVERIFY(shown.part<QLabel>(u"weightsOutcome"_s)->isHidden());
    QVERIFY(shown.text() != u"too late"_s);
  }

  void aChosenFileForgetsTheDigestOfTheLast() {
    ShownWeights shown;
    shown.change([](RunConfig& config) { config.start.sha256 = "abc"; });
    Q_EMIT shown.panel()->fileChosen("/nets/other.pt");
    QCOMPARE(shown.document.config().start.weights, std::string("/nets/other.pt"));
    QVERIFY(shown.document.config().start.sha256.empty());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestWeightsPanel)
#include "tst_weights_panel.moc"
