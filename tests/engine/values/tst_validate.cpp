#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/values/config/validate.h"
#include "tests/support/filled_values.h"

using namespace std::string_literals;

namespace lambda {

namespace {

/// A valid run of two stages with every kind of mixer that takes images.
RunConfig soundRun() {
  RunConfig config = defaultRun();
  for (Stage& stage : config.architecture.stages) {
    std::erase_if(stage.blocks, [](const Block& block) {
      return std::holds_alternative<RwkvMixer>(block.mixer);
    });
  }
  config.architecture.stages[1].stride = 2;
  config.data.augmentation.cropPadding = 0;
  config.data.augmentation.horizontalFlip = false;
  return config;
}

/// A valid run of a network that predicts tokens.
RunConfig tokensRun() {
  RunConfig config = soundRun();
  Architecture& network = config.architecture;
  network.input = {1, 1, 128};
  network.task = Task::tokens;
  network.outputs = 64;
  network.family = Family::sequence;
  network.stem = {};
  network.stem.kind = EmbeddingStem();
  network.stem.width = 32;
  network.head = {};
  LambdaMixer causal;
  causal.mask = ContextMask::causal;
  causal.normalizeQueries = causal.normalizeValues = false;
  Block block{.mixer = causal, .expansion = 2};
  network.stages = {{.width = 32, .stride = 1, .blocks = {block}}};
  config.data.source = RecallSource();
  config.data.validationCount = RecallSource().validationCount;
  return config;
}

const Problem* findAt(const std::vector<Problem>& problems, const std::string& path) {
  const auto found = std::find_if(
      problems.begin(), problems.end(), [&](const Problem& p) { return p.path == path; });
  return found == problems.end() ? nullptr : &*found;
}

constexpr const char* kMixer = "architecture.stages[0].blocks[0].mixer";

}  // namespace

class TestValidate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSoundRunHasNoProblems();
  void everyRuleFiresAndItsFixRemovesIt_data();
  void everyRuleFiresAndItsFixRemovesIt();
  void settingsForImagesAreRefusedForSequences();
  void mixersThatSeeLaterTokensAreRefused();
  void dataAndNetworkBothHaveSequencesOrImages();
  void lengthAndVocabularyAreThoseOfTheData();
  void optionsOfDrawnSequencesFitEachOther();
  void everyRangeIsChecked();
  void photographsMayBeMirroredAndCropped();
  void quickstartHasNoFindings();
  void emptyNetworksAreReported();
  void allFindingsComeAtOnce();
  void findingsArePrintedOneALine();
};

void TestValidate::aSoundRunHasNoProblems() {
  const auto problems = validate(soundRun());
  QVERIFY2(problems.empty(), toText(problems).c_str());
}

void TestValidate::everyRuleFiresAndItsFixRemovesIt_data() {
  QTest::addColumn<QList<QByteArray>>("changes");
  QTest::addColumn<QByteArray>("path");
  QTest::addColumn<bool>("isError");
  const auto mixer = [](const char* rest) -> QByteArray { return QByteArray(kMixer) + rest; };
  const auto row =
      [](const char* name, const QList<QByteArray>& changes, const QByteArray& path, bool isError) {
        QTest::newRow(name) << changes << path << isError;
      };
  row("even kernel",
      {"architecture.stages[0].blocks[1].mixer.kernelSize=4"},
      "architecture.stages[0].blocks[1].mixer.kernelSize",
      true);
  row("heads", {mixer(".h=5")}, mixer(".h"), true);
  row("more heads than channels", {mixer(".h=100")}, mixer(".h"), true);
  row("local absolute", {mixer(".scope=7"), mixer(".embedding=absolute")}, mixer(".scope"), true);
  row("even scope", {mixer(".scope=6")}, mixer(".scope"), true);
  row("scope beyond the map", {mixer(".scope=65")}, mixer(".scope"), false);
  row("nothing left", {mixer(".content=false"), mixer(".embedding=none")}, mixer(".content"), true);
  row("one position",
      {"architecture.stem.kind=patch", "architecture.stem.patchSize=32"},
      mixer(""),
      false);
  row("large absolute", {mixer(".embedding=absolute"), mixer(".k=128")}, mixer(".embedding"), true);
  row("large global", {mixer(".k=128")}, mixer(".scope"), false);
  row("dot in a shared name",
      {mixer(".sharedEmbeddings=a.b\"c")},
      mixer(".sharedEmbeddings"),
      true);
  row("unequal sharing",
      {mixer(".sharedEmbeddings=a"),
       "architecture.stages[1].blocks[0].mixer={\"kind\": \"lambda\", \"k\": 8, "
       "\"sharedEmbeddings\": \"a\"}"},
      "architecture.stages[1].blocks[0].mixer.sharedEmbeddings",
      true);
  const auto shared = [](const char* options) -> QByteArray {
    return QByteArray(
               "architecture.stages[1].blocks[0].mixer={\"kind\": \"lambda\", \"scope\": "
               "3, \"sharedEmbeddings\": \"a\", ") +
           options + "}";
  };
  for (const char* options : {"\"multiHead\": true", "\"embeddingDeviation\": 0.1"}) {
    row(options,
        {mixer(".sharedEmbeddings=a"), mixer(".scope=3"), shared(options)},
        "architecture.stages[1].blocks[0].mixer.sharedEmbeddings",
        true);
  }
  row("other heads with tables of their own",
      {mixer(".sharedEmbeddings=a"),
       mixer(".scope=3"),
       mixer(".multiHead=true"),
       shared("\"multiHead\": true, \"h\": 2")},
      "architecture.stages[1].blocks[0].mixer.sharedEmbeddings",
      true);
  row("custom mask without rows", {mixer(".mask=custom")}, mixer(".maskRows"), true);
  row("mask rows without custom mask", {mixer(".maskRows=1")}, mixer(".maskRows"), false);
  row("too few mask rows",
      {mixer(".mask=custom"), mixer(".maskRows=10 01")},
      mixer(".maskRows"),
      true);
  row("short mask row", {mixer(".mask=custom"), mixer(".maskRows=101")}, mixer(".maskRows"), true);
  row("letters in a mask", {mixer(".mask=custom"), mixer(".maskRows=x")}, mixer(".maskRows"), true);
  row("mask that hides all",
      {mixer(".mask=custom"), mixer(".maskRows=") + QByteArray(32 * 32, '0')},
      mixer(".maskRows"),
      true);
  row("large masked", {mixer(".mask=causal"), mixer(".u=2")}, mixer(".mask"), false);
  row("large masked heads",
      {mixer(".mask=causal"), mixer(".multiHead=true")},
      mixer(".mask"),
      false);
  row("large absolute of many heads",
      {mixer(".embedding=absolute"), mixer(".k=32"), mixer(".multiHead=true")},
      mixer(".embedding"),
      true);
  row("large patch",
      {"architecture.stem.kind=patch", "architecture.stem.patchSize=33"},
      "architecture.stem.patchSize",
      true);
  row("early downsampling", {"architecture.stem.kind=imagenet"}, "architecture.stem.kind", false);
  row("whitening of images smaller than a patch",
      {"architecture.stem.kind=imagenet",
       "architecture.stem.whitened=true",
       "architecture.input.height=6",
       "data.source=cifar10"},
      "architecture.stem.whitened",
      true);
  row("whitening of large patches",
      {"architecture.stem.kind=patch",
       "architecture.stem.patchSize=19",
       "architecture.stem.whitened=true"},
      "architecture.stem.whitened",
      true);
  row("more channels than whitening filters",
      {"architecture.stem.width=55", "architecture.stem.whitened=true"},
      "architecture.stem.whitened",
      true);
  row("mirrored directions",
      {"data.augmentation.horizontalFlip=true"},
      "data.augmentation.horizontalFlip",
      false);
  row("moved directions",
      {"data.augmentation.cropPadding=1"},
      "data.augmentation.cropPadding",
      false);
  row("no data", {"data.source="}, "data.source", true);
  row("all for validation", {"data.validationCount=12000"}, "data.validationCount", true);
  row("all of CIFAR for validation",
      {"data.source=cifar10", "data.validationCount=50000"},
      "data.validationCount",
      true);
  row("image shape", {"architecture.input.height=64"}, "architecture.input", true);
  row("classes", {"architecture.classes=100"}, "architecture.classes", true);
  row("long warm-up",
      {"recipe.epochs=5", "recipe.schedule.warmupEpochs=5"},
      "recipe.schedule.warmupEpochs",
      false);
  row("Nesterov", {"recipe.optimizer.momentum=0"}, "recipe.optimizer.nesterov", true);
  row("decay of all by role",
      {"recipe.optimizer.decayAllParameters=true", "recipe.optimizer.decayFactors.norm=0.5"},
      "recipe.optimizer.decayAllParameters",
      false);
  row("large batch", {"recipe.batchSize=8000"}, "recipe.batchSize", true);
  row("large batch of few",
      {"data.source.trainCount=40", "data.validationCount=10", "recipe.batchSize=31"},
      "recipe.batchSize",
      true);
  row("threads that are chosen and yield",
      {"device.threads=2", "device.yieldsToOthers=true"},
      "device.yieldsToOthers",
      false);
  row("RandAugment of two channels",
      {"architecture.input.channels=2", "data.augmentation.randAugmentOperations=2"},
      "data.augmentation.randAugmentOperations",
      true);
  row("mixup of one image",
      {"recipe.batchSize=1", "data.augmentation.mixupAlpha=0.2"},
      "data.augmentation.mixupAlpha",
      false);
  row("CutMix of one image",
      {"recipe.batchSize=1", "data.augmentation.cutmixAlpha=1"},
      "data.augmentation.cutmixAlpha",
      false);
  row("one value for a norm",
      {"recipe.batchSize=1", "architecture.stem.kind=patch", "architecture.stem.patchSize=16"},
      "recipe.batchSize",
      true);
  row("Muon with decaying filters",
      {"recipe.optimizer.kind=muon", "recipe.optimizer.decayFactors.filter=0.5"},
      "recipe.optimizer.decayFactors.filter",
      false);
  row("Muon that decays all",
      {"recipe.optimizer.kind=muon", "recipe.optimizer.decayAllParameters=true"},
      "recipe.optimizer.decayAllParameters",
      false);
  row("no best", {"data.validationCount=0"}, "checkpoints.keepBest", false);
}

void TestValidate::everyRuleFiresAndItsFixRemovesIt() {
  QFETCH(QList<QByteArray>, changes);
  QFETCH(QByteArray, path);
  QFETCH(bool, isError);
  RunConfig config = soundRun();
  for (const QByteArray& change : changes) applyOverride(config, change.toStdString());
  const auto problems = validate(config);
  const Problem* problem = findAt(problems, path.toStdString());
  QVERIFY2(problem, toText(problems).c_str());
  QCOMPARE(problem->severity == Severity::error, isError);
  QVERIFY(problem->fix.has_value());
  applyFix(config, *problem->fix);
  const auto left = validate(config);
  QVERIFY2(!findAt(left, path.toStdString()), toText(left).c_str());
}

void TestValidate::settingsForImagesAreRefusedForSequences() {
  const auto sound = validate(tokensRun());
  QVERIFY2(sound.empty(), toText(sound).c_str());
  RunConfig smoothed = tokensRun();
  smoothed.recipe.labelSmoothing = 0.1;
  QVERIFY2(validate(smoothed).empty(), toText(validate(smoothed)).c_str());
  for (const char* change : {"data.augmentation.cropPadding=4",
                             "data.augmentation.horizontalFlip=true",
                             "data.augmentation.cutoutSize=8",
                             "data.augmentation.randAugmentOperations=2",
                             "data.augmentation.erasingProbability=0.1",
                             "data.augmentation.mixupAlpha=0.2",
                             "data.augmentation.cutmixAlpha=1",
                             "data.labelledPerClass=4",
                             "data.pseudoLabels=labels.csv",
                             "recipe.flipAveraging=true",
                             "recipe.shiftAveraging=true",
                             "architecture.stem.whitened=true"}) {
    RunConfig config = tokensRun();
    applyOverride(config, change);
    const std::string path = std::string(change).substr(0, std::string(change).find('='));
    const auto problems = validate(config);
    const Problem* problem = findAt(problems, path);
    QVERIFY2(problem && problem->severity == Severity::error, toText(problems).c_str());
    if (!path.starts_with("architecture"))
      QVERIFY2(problem->text.ends_with(" for images, not for sequences"), problem->text.c_str());
    applyFix(config, *problem->fix);
    QVERIFY2(validate(config).empty(), toText(validate(config)).c_str());
  }
}

void TestValidate::mixersThatSeeLaterTokensAreRefused() {
  for (const std::string change : {".mask=none",
                                   ".normalizeQueries=true",
                                   ".normalizeValues=true",
                                   ".tokenOrder=channelRuns"}) {
    RunConfig config = tokensRun();
    applyOverride(config, kMixer + change);
    const auto problems = validate(config);
    const Problem* problem = findAt(problems, kMixer + change.substr(0, change.find('=')));
    if (problem == nullptr) problem = findAt(problems, kMixer);
    QVERIFY2(problem && problem->severity == Severity::error, toText(problems).c_str());
    applyFix(config, *problem->fix);
    QVERIFY2(validate(config).empty(), toText(validate(config)).c_str());
  }
}

void TestValidate::dataAndNetworkBothHaveSequencesOrImages() {
  RunConfig config = tokensRun();
  for (const DataSource& images : {DataSource(Shapes10Source()),
                                   DataSource(Cifar10Source()),
                                   DataSource(ImageFolderSource())}) {
    config.data.source = images;
    const auto problems = validate(config);
    const Problem* problem = findAt(problems, "data.source");
    QVERIFY2(problem, toText(problems).c_str());
    QCOMPARE(problem->text,
             "the network is for sequences of tokens, but " + std::string(traitsOf(images).title) +
                 " has images");
    // Their shape and classes say nothing more.
    QVERIFY(!findAt(problems, "architecture.input") && !findAt(problems, "architecture.task"));
    applyFix(config, *problem->fix);
    QVERIFY2(validate(config).empty(), toText(validate(config)).c_str());
  }
  RunConfig ofImages = soundRun();
  for (const DataSource& sequences :
       {DataSource(TextSource()), DataSource(RecallSource()), DataSource(CopySource())}) {
    ofImages.data.source = sequences;
    const auto problems = validate(ofImages);
    const Problem* problem = findAt(problems, "data.source");
    QVERIFY2(problem, toText(problems).c_str());
    QVERIFY(problem->text.starts_with("the network is for images, but "));
    applyFix(ofImages, *problem->fix);
    QVERIFY2(validate(ofImages).empty(), toText(validate(ofImages)).c_str());
  }
}

void TestValidate::lengthAndVocabularyAreThoseOfTheData() {
  // A text needs not be read for it.
  for (const auto& [source, vocabulary, length] :
       {std::tuple(DataSource(TextSource{.length = 96}), 256, 96),
        std::tuple(DataSource(CopySource{.vocabulary = 50, .length = 64}), 50, 64)}) {
    RunConfig config = tokensRun();
    config.data.source = source;
    const auto problems = validate(config);
    for (const char* path : {"architecture.input.width", "architecture.tokens"}) {
      const Problem* problem = findAt(problems, path);
      QVERIFY2(problem && problem->severity == Severity::error, toText(problems).c_str());
      applyFix(config, *problem->fix);
    }
    QCOMPARE(config.architecture.input.width, length);
    QCOMPARE(config.architecture.outputs, vocabulary);
    QVERIFY2(validate(config).empty(), toText(validate(config)).c_str());
  }
  // The number of validation sequences is the data's.
  RunConfig config = tokensRun();
  config.data.validationCount = 500;
  const auto problems = validate(config);
  const Problem* problem = findAt(problems, "data.validationCount");
  QVERIFY2(problem, toText(problems).c_str());
  QCOMPARE(problem->text,
           "the data's own validation set has 1000 sequences, and all of them are used"s);
  applyFix(config, *problem->fix);
  QVERIFY(validate(config).empty());
}

void TestValidate::optionsOfDrawnSequencesFitEachOther() {
  RunConfig config = tokensRun();
  config.data.source = RecallSource{.pairs = 32};
  auto problems = validate(config);
  QVERIFY2(findAt(problems, "data.source.vocabulary"), toText(problems).c_str());
  applyFix(config, *findAt(problems, "data.source.vocabulary")->fix);
  problems = validate(config);
  applyFix(config, *findAt(problems, "architecture.tokens")->fix);
  QVERIFY2(validate(config).empty(), toText(validate(config)).c_str());
  // What is outside its range is said once.
  config.data.source = RecallSource{.testCount = 0};
  problems = validate(config);
  QCOMPARE(std::ranges::count(problems, "data.source.testCount"s, &Problem::path), 1);
}

void TestValidate::everyRangeIsChecked() {
  RunConfig config = soundRun();
  visitLeaves(config, "", [&](const std::string& path, const Field& field, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<M, int> || std::is_same_v<M, double>) {
      const M kept = member;
      std::vector<M> wrong{static_cast<M>(field.max + 1), static_cast<M>(field.min - 1)};
      wrong.insert(wrong.end(), {std::numeric_limits<M>::max(), std::numeric_limits<M>::lowest()});
      if (std::is_same_v<M, double>) wrong.push_back(std::numeric_limits<M>::quiet_NaN());
      for (const M value : wrong) {
        member = value;
        const auto problems = validate(config);
        const Problem* problem = findAt(problems, path);
        QVERIFY2(problem && problem->severity == Severity::error && problem->fix, path.c_str());
        RunConfig fixed = config;
        applyFix(fixed, *problem->fix);
        const auto left = validate(fixed);
        const Problem* still = findAt(left, path);
        QVERIFY2(!still || still->text.find("is outside") == std::string::npos, path.c_str());
      }
      member = kept;
    }
  });
}

void TestValidate::photographsMayBeMirroredAndCropped() {
  RunConfig config = soundRun();
  config.data.source = Cifar10Source();
  config.data.augmentation = {};
  const auto problems = validate(config);
  QVERIFY2(problems.empty(), toText(problems).c_str());
}

void TestValidate::quickstartHasNoFindings() {
  std::vector<Problem> problems;
  const RunConfig config = loadPreset("quickstart", problems);
  QVERIFY(std::holds_alternative<Shapes10Source>(config.data.source));
  const auto findings = validate(config);
  QVERIFY2(findings.empty(), toText(findings).c_str());
}

void TestValidate::emptyNetworksAreReported() {
  RunConfig config = soundRun();
  config.architecture.stages[1].blocks.clear();
  QVERIFY(findAt(validate(config), "architecture.stages[1].blocks"));
  config.architecture.stages.clear();
  QVERIFY(findAt(validate(config), "architecture.stages"));
  config.architecture.stages.assign(33, Stage{64, 1, {Block{}}});
  QVERIFY(findAt(validate(config), "architecture.stages"));
}

void TestValidate::allFindingsComeAtOnce() {
  RunConfig config = soundRun();
  applyOverride(config, "architecture.stages[*].blocks[*].mixer.h=5");
  applyOverride(config, "architecture.classes=7");
  applyOverride(config, "recipe.optimizer.momentum=0");
  config.recipe.epochs = 0;
  const auto problems = validate(config);
  QVERIFY(hasErrors(problems));
  for (const char* path : {"architecture.stages[0].blocks[0].mixer.h",
                           "architecture.stages[1].blocks[0].mixer.h",
                           "architecture.classes",
                           "recipe.optimizer.nesterov",
                           "recipe.epochs"}) {
    QVERIFY2(findAt(problems, path), path);
  }
}

void TestValidate::findingsArePrintedOneALine() {
  QCOMPARE(toText({{"a.b", Severity::error, "is wrong", {}}, {"c", Severity::warning, "odd", {}}}),
           "error at a.b: is wrong\nwarning at c: odd\n"s);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestValidate)
#include "tst_validate.moc"
