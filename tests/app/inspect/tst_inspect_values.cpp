#include <cmath>

#include <QtTest/QtTest>

#include "app/inspect/inspect_selection.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/probe_view.h"
#include "engine/values/inspection/contribution_maps.h"
#include "tests/support/example_snapshot.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

Array vectorOf(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

}  // namespace

class TestInspectValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void contributionsOfAllHeadsAreTheirSumAndEffectsTheirNorm();
  void aProbeBecomesASnapshotWithSumsNormsAndOrder();
  void normsOfProbesGoToCsv();
  void theSelectionKeepsItsLayerAndItsPlaceOfTheImage();
  void rowsOfAMultiHeadLayerAreNamedWithTheirHead();
};

void TestInspectValues::contributionsOfAllHeadsAreTheirSumAndEffectsTheirNorm() {
  ExampleOptions options;
  options.layer.intraDepth = 2;
  const InspectionSnapshot s = exampleSnapshot(options);
  const Array heads = headMapsOf(s, ContributionKind::content);
  QCOMPARE(heads.shape, (std::vector<std::int64_t>{2, 5, 6}));
  const std::size_t cells = 30;
  // Head 1 at cell 7 is the sum over both u.
  QCOMPARE(heads.values[cells + 7],
           s.contributions.content.values[2 * cells + 7] +
               s.contributions.content.values[3 * cells + 7]);
  const Array all = mapOf(heads, ContributionKind::content, -1);
  QCOMPARE(all.values[7], heads.values[7] + heads.values[cells + 7]);
  QCOMPARE(mapOf(heads, ContributionKind::content, 1).values[7], heads.values[cells + 7]);
  QVERIFY(mapOf(heads, ContributionKind::content, 2).empty());

  const Array effect = mapOf(headMapsOf(s, ContributionKind::effect), ContributionKind::effect, -1);
  QCOMPARE(effect.values[7], std::hypot(s.effect.values[7], s.effect.values[cells + 7]));
  QVERIFY(headMapsOf(InspectionSnapshot{}, ContributionKind::total).empty());
  QVERIFY(differenceOf(all, heads).empty());
  QCOMPARE(differenceOf(all, all).values, std::vector<float>(30, 0));
}

void TestInspectValues::aProbeBecomesASnapshotWithSumsNormsAndOrder() {
  const InspectionSnapshot source = exampleSnapshot();
  ProbeSnapshot probe{.epoch = 4, .step = 90, .probabilities = {0.1F, 0.9F}, .layers = {}};
  probe.layers.push_back({.name = source.layer.name,
                          .lambdaContent = source.lambdas.content,
                          .lambdaPosition = source.lambdas.position,
                          .contributionsContent = source.contributions.content,
                          .contributionsPosition = source.contributions.position,
                          .embeddings = source.embeddings.tiles,
                          .embeddingChange = source.embeddings.change,
                          .singularContent = source.singularValues.content,
                          .singularPosition = source.singularValues.position,
                          .singularTotal = source.singularValues.total,
                          .patterns = source.embeddings.patterns.patterns,
                          .patternShares = vectorOf(source.embeddings.patterns.share),
                          .changePatterns = source.embeddings.changePatterns.patterns,
                          .changePatternShares = vectorOf(source.embeddings.changePatterns.share)});
  const InspectionSnapshot shown = snapshotOf(probe, source.layer);
  QCOMPARE(shown.lambdas, source.lambdas);
  QCOMPARE(shown.contributions, source.contributions);
  QCOMPARE(shown.embeddings, source.embeddings);
  QCOMPARE(shown.singularValues, source.singularValues);
  QCOMPARE(shown.epoch, 4);
  QCOMPARE(shown.predicted, 1);
  QCOMPARE(shown.queryRow, 2);
  const ProbeNorms norms = normsOf(probe, source.layer.name);
  QCOMPARE(norms.greatestLambda,
           std::max({rangeOf(ColorMap::diverging, source.lambdas.total.values).high,
                     rangeOf(ColorMap::diverging, source.lambdas.content.values).high,
                     rangeOf(ColorMap::diverging, source.lambdas.position.values).high}));
  QVERIFY(norms.content > 0 && norms.position > 0 && norms.embeddings > 0);
  QVERIFY(snapshotOf(probe, InspectableLayer{.name = "stage9.block9.mixer"}).lambdas.total.empty());
}

void TestInspectValues::normsOfProbesGoToCsv() {
  const std::vector<ProbeNorms> norms{{.epoch = 1, .step = 10, .content = 0.5, .position = 2}};
  QCOMPARE(csvOf(norms),
           std::string("epoch,step,content,position,embeddings,change\n1,10,0.5,2,0,0\n"));
}

void TestInspectValues::rowsOfAMultiHeadLayerAreNamedWithTheirHead() {
  InspectableLayer layer{.name = {}, .queryDepth = 4, .heads = 2, .intraDepth = 1};
  QCOMPARE(slotName(layer, 3), u"k 3"_s);
  QVERIFY(!lettersOf(layer).contains(u"own lambda"_s));
  layer.lambdas = 2;
  QCOMPARE(slotName(layer, 3), u"h 0, k 3"_s);
  QCOMPARE(slotName(layer, 4), u"h 1, k 0"_s);
  QVERIFY(lettersOf(layer).contains(u"k = 4"_s));
  QVERIFY(lettersOf(layer).contains(u"own lambda"_s));
  layer.intraDepth = 3;
  QCOMPARE(slotName(layer, 14), u"h 1, k 0, u 2"_s);
}

void TestInspectValues::theSelectionKeepsItsLayerAndItsPlaceOfTheImage() {
  const InspectableLayer wide{.name = "stage1", .height = 8, .width = 8};
  const InspectableLayer narrow{.name = "stage2", .height = 4, .width = 4};
  InspectSelection selection;
  QVERIFY(selection.layer() == nullptr);
  selection.setLayers({wide, narrow});
  QCOMPARE(selection.layer()->name, wide.name);
  QCOMPARE(selection.request().queryRow, -1);
  selection.chooseQuery({6, 2});
  selection.chooseLayer("stage2");
  QCOMPARE(selection.query(), (std::optional<Cell>(Cell{3, 1})));
  selection.chooseLayer("stage9");
  QCOMPARE(selection.layer()->name, narrow.name);
  // Other weights of the same network, then a network that lacks the layer.
  selection.setLayers({narrow, wide});
  QCOMPARE(selection.layer()->name, narrow.name);
  QCOMPARE(selection.query(), (std::optional<Cell>(Cell{3, 1})));
  selection.setLayers({wide});
  QCOMPARE(selection.layer()->name, wide.name);
  QVERIFY(!selection.query());
  selection.choosePicture(Image{.width = 1, .height = 1, .rgb = {1, 2, 3}});
  QVERIFY(selection.request().picture.has_value());
  selection.chooseSplit(Split::test);
  QCOMPARE(selection.request().split, Split::test);
  QVERIFY(!selection.request().picture.has_value());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectValues)
#include "tst_inspect_values.moc"
