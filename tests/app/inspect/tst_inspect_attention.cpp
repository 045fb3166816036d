#include <QTabWidget>
#include <QtTest/QtTest>

#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/inspect_panels.h"
#include "app/inspect/panels/panel_deck.h"
#include "engine/values/inspection/contribution_maps.h"
#include "tests/support/example_snapshot.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Snapshot = std::shared_ptr<const InspectionSnapshot>;

Snapshot lambdaLayer() {
  return std::make_shared<const InspectionSnapshot>(exampleSnapshot({}));
}

Snapshot attentionLayer() {
  InspectionSnapshot attention = exampleSnapshot({});
  attention.layer.kind = mixerKindOf<SelfAttentionMixer>();
  attention.contributions.content = attention.contributions.position = {};
  attention.lambdas = attention.singularValues = {};
  attention.keys = {};
  attention.embeddings = {};
  return std::make_shared<const InspectionSnapshot>(attention);
}

}  // namespace

/// What Inspect shows of layers that have attention weights and no lambdas.
class TestInspectAttention : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void theWeightsTakeThePlaceOfContributions() {
    const Snapshot attention = attentionLayer();
    ImagePanel image;
    image.show();
    image.setQuantity(ContributionKind::position);
    image.setState({.snapshot = attention});
    // The chosen map does not exist: the total is shown, and the choice comes back with a lambda
    // layer.
    QCOMPARE(image.image().overlay().cells,
             mapOf(headMapsOf(*attention, ContributionKind::total), ContributionKind::total, -1));
    QVERIFY(image.facts().balanceText().isEmpty());
    QVERIFY(image.explanation().body.contains(u"softmax"_s));
    image.setState({.snapshot = lambdaLayer()});
    QCOMPARE(image.image().overlay().cells,
             mapOf(headMapsOf(*lambdaLayer(), ContributionKind::position),
                   ContributionKind::position,
                   -1));
  }

  void panelsOfLambdasAreLockedAndComeBack() {
    PanelDeck deck;
    deck.show();
    auto& tabs = *deck.findChild<QTabWidget*>();
    deck.setLayers({lambdaLayer()->layer, attentionLayer()->layer}, u"L-A"_s);
    deck.setState({.snapshot = lambdaLayer()});
    constexpr int kEmbeddings = 1;
    tabs.setCurrentIndex(kEmbeddings);
    QVERIFY(deck.showsPatterns());
    deck.setState({.snapshot = attentionLayer()});
    for (int tab = 0; tab < tabs.count(); ++tab) {
      QCOMPARE(tabs.isTabEnabled(tab), !kInspectPanels[tab].needsLambdas);
      QCOMPARE(
          tabs.tabToolTip(tab),
          kInspectPanels[tab].needsLambdas
              ? u"A self-attention layer has no lambda: its weights are shown over the image."_s
              : QString());
    }
    QVERIFY(!kInspectPanels[tabs.currentIndex()].needsLambdas);
    deck.setState({.snapshot = lambdaLayer()});
    QCOMPARE(tabs.currentIndex(), kEmbeddings);
    QVERIFY(deck.showsPatterns());
  }

  void aNetworkWithoutLambdasShowsItsPrediction() {
    PanelDeck deck;
    deck.show();
    deck.setLayers({attentionLayer()->layer}, u"A"_s);
    const auto& tabs = *deck.findChild<QTabWidget*>();
    QVERIFY(!kInspectPanels[tabs.currentIndex()].needsLambdas);
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectAttention)
#include "tst_inspect_attention.moc"
