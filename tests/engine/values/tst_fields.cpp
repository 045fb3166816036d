#include <array>
#include <cctype>
#include <set>
#include <string>

#include <QtTest/QtTest>

#include "engine/values/config/kinds.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/config/settings.h"
#include "engine/values/text/text.h"

using namespace std::string_literals;

namespace lambda {

namespace {

struct Anything {
  template <class T>
  operator T() const;
};

/// The number of members of an aggregate, which is the number that it can be initialised with.
template <class T, class... Members>
constexpr std::size_t memberCount() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return memberCount<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

/// The errors in the list of fields of T; empty if there are none.
template <class T>
std::string faultOf() {
  const T value;
  std::set<std::string> names;
  std::string fault;
  visitFields(value, [&](const Field& field, const auto&) {
    const std::string name = field.name;
    if (!names.insert(name).second) fault += name + " is listed twice. ";
    for (const char c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c))) fault += name + " is no key. ";
    }
    if (std::isupper(static_cast<unsigned char>(name.front()))) fault += name + " is upper case. ";
    if (std::string(field.meaning).empty()) fault += name + " has no meaning. ";
    if (!(field.min <= field.max)) fault += name + " has an empty range. ";
  });
  // The key of a score tells its kind.
  const std::size_t told = requires(T each) {
    each.scoredBy;
  }
  ? 1 : 0;
  if (names.size() + told != memberCount<T>()) {
    fault += std::to_string(names.size()) + " of " + std::to_string(memberCount<T>()) + " listed. ";
  }
  return fault;
}

}  // namespace

class TestFields : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyMemberIsListed();
  void namesLeadBackToTheirValue();
  void fieldsAreFoundByTheirPath();
  void ratesAndNamesDoNotChangeTheSpeed();
  void mixersAreMadeByKind();
  void theNearestNameIsFound();
};

void TestFields::everyMemberIsListed() {
  const auto check = [](const std::string& fault) { QVERIFY2(fault.empty(), fault.c_str()); };
  check(faultOf<MapShape>());
  check(faultOf<ConvolutionMixer>());
  check(faultOf<LambdaMixer>());
  check(faultOf<DepthwiseConvolutionMixer>());
  check(faultOf<SelfAttentionMixer>());
  check(faultOf<LocalAttentionMixer>());
  check(faultOf<AxialAttentionMixer>());
  check(faultOf<LinearAttentionMixer>());
  check(faultOf<NonLocalMixer>());
  check(faultOf<SqueezeExcitationMixer>());
  check(faultOf<SpatialAttentionMixer>());
  check(faultOf<RwkvMixer>());
  check(faultOf<Block>());
  check(faultOf<Stage>());
  check(faultOf<Stem>());
  check(faultOf<Head>());
  check(faultOf<Architecture>());
  check(faultOf<AugmentationConfig>());
  check(faultOf<DataConfig>());
  check(faultOf<RateFactors>());
  check(faultOf<DecayFactors>());
  check(faultOf<Adam>());
  check(faultOf<Muon>());
  check(faultOf<Lion>());
  check(faultOf<CosineSchedule>());
  check(faultOf<TriangularSchedule>());
  check(faultOf<StepSchedule>());
  check(faultOf<Recipe>());
  check(faultOf<DeviceConfig>());
  check(faultOf<CheckpointConfig>());
  check(faultOf<MonitoringConfig>());
  check(faultOf<RunConfig>());
  check(faultOf<Scores>());
  check(faultOf<BatchRecord>());
  check(faultOf<EpochRecord>());
  check(faultOf<EventRecord>());
  check(faultOf<PrecisionRates>());
  check(faultOf<Environment>());
  check(faultOf<Lineage>());
  check(faultOf<RunRecord>());
}

void TestFields::namesLeadBackToTheirValue() {
  for (const std::string_view name : kNamesOf<EventKind>.names) {
    QCOMPARE(nameOf(*enumOf<EventKind>(name)), name);
  }
  QVERIFY(nameOf(EventKind::changed) == kNamesOf<EventKind>.names.back());
  QVERIFY(nameOf(RunStatus::failed) == "failed");
  QVERIFY(kindNameOf(StemKind(PatchStem{})) == "patch");
  QVERIFY(kindNameOf(ScheduleKind(StepSchedule{})) == "step");
  QVERIFY(!enumOf<Family>("Plain"));
}

void TestFields::fieldsAreFoundByTheirPath() {
  const auto labelOf = [](const char* path) {
    const auto field = fieldAt(path);
    return std::string(field ? field->look.label : "none");
  };
  QCOMPARE(labelOf("recipe.optimizer.momentum"), "Momentum"s);
  QCOMPARE(labelOf("recipe.optimizer.beta1"), "Beta 1"s);
  QCOMPARE(labelOf("recipe.optimizer.rateFactors.head"), "Rate of classifier"s);
  QCOMPARE(labelOf("recipe.schedule.stepEpochs"), "Drop every"s);
  QCOMPARE(labelOf("data.source.labels"), "Labels"s);
  QCOMPARE(labelOf("data.source.kind"), "Data set"s);
  QCOMPARE(labelOf("architecture.stages[1].width"), "Width d"s);
  QCOMPARE(labelOf("architecture.stages[*].blocks[0].mixer.kind"), "Mixer"s);
  QCOMPARE(labelOf("architecture.stages[*].blocks[0].mixer.u"), "Intra-depth u"s);
  for (const char* path : {"", "recipe.epochs.x", "architecture.stages[", "nothing"}) {
    QCOMPARE(labelOf(path), "none"s);
  }
}

void TestFields::ratesAndNamesDoNotChangeTheSpeed() {
  const RunConfig config;
  const auto isSame = [&](const auto& change) {
    RunConfig changed = config;
    change(changed);
    return isEquallyFast(config, changed);
  };
  QVERIFY(isSame([](RunConfig& run) { run.name = "other"; }));
  QVERIFY(isSame([](RunConfig& run) { run.recipe.learningRateFactor = 0.5; }));
  QVERIFY(isSame([](RunConfig& run) { run.recipe.labelSmoothing = 0.1; }));
  QVERIFY(isSame([](RunConfig& run) { run.recipe.optimizer.kind = Sgd{.momentum = 0.5}; }));
  QVERIFY(isSame([](RunConfig& run) { run.recipe.optimizer.decayFactors.head = 0; }));
  QVERIFY(isSame([](RunConfig& run) { run.recipe.schedule.kind = StepSchedule{}; }));
  QVERIFY(isSame([](RunConfig& run) { run.checkpoints.keepBest = false; }));
  QVERIFY(isSame([](RunConfig& run) { run.start.weights = "file"; }));
  QVERIFY(!isSame([](RunConfig& run) { run.recipe.optimizer.kind = Adam{}; }));
  QVERIFY(!isSame([](RunConfig& run) { run.recipe.batchSize = 7; }));
  QVERIFY(!isSame([](RunConfig& run) { run.recipe.emaDecay = 0.9; }));
  QVERIFY(!isSame([](RunConfig& run) { run.architecture.stem.width = 7; }));
  QVERIFY(!isSame([](RunConfig& run) { run.start.frozenStages = 1; }));
}

void TestFields::mixersAreMadeByKind() {
  for (std::size_t kind = 0; kind < kMixerKinds.size(); ++kind) {
    QCOMPARE(valueOfKind<Mixer>(kind).index(), kind);
  }
}

void TestFields::theNearestNameIsFound() {
  const std::array<std::string_view, 3> names{"batchSize", "epochs", "k"};
  QCOMPARE(nearestName("batchsize", names), "batchSize"s);
  QCOMPARE(nearestName("epoch", names), "epochs"s);
  QCOMPARE(nearestName("precision", names), ""s);
  QCOMPARE(nearestName("z", names), ""s);
  QCOMPARE(nearestName(std::string(1 << 20, 'e'), names), ""s);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestFields)
#include "tst_fields.moc"
