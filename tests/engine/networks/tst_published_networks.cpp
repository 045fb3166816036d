#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <ATen/Parallel.h>

#include <QElapsedTimer>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/networks/network.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"
#include "engine/values/published/published_networks.h"
#include "tests/support/parameter_count.h"

namespace lambda::test {

namespace {

constexpr int kNarrower = 4;
constexpr int kSmallSide = 32;

Architecture published(const std::string& name) {
  const std::optional<RunConfig> config = publishedNetwork(name);
  if (!config) qFatal("there is no published network %s", name.c_str());
  return config->architecture;
}

/// The same blocks with fewer channels, on small images.
Architecture narrow(Architecture network) {
  network.input = {3, kSmallSide, kSmallSide};
  network.outputs = 7;
  network.stem.width /= kNarrower;
  network.head.width /= kNarrower;
  for (Stage& stage : network.stages) stage.width /= kNarrower;
  return network;
}

void addPublishedRows() {
  QTest::addColumn<std::string>("name");
  for (const PublishedName& published : publishedNames()) {
    QTest::newRow(published.name.c_str()) << published.name;
  }
}

}  // namespace

class TestPublishedNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(5); }

  void everyNetworkIsSound_data() { addPublishedRows(); }

  void everyNetworkIsSound() {
    QFETCH(std::string, name);
    const RunConfig config = *publishedNetwork(name);
    QCOMPARE(config.name, name);
    QVERIFY(!config.architecture.name.empty() && !config.architecture.description.empty());
    const std::vector<Problem> problems = validate(config);
    QVERIFY2(!hasErrors(problems), toText(problems).c_str());
    std::vector<Problem> warnings;
    QVERIFY(runConfigFromJson(toJson(config), "copy", warnings) == config);
    QVERIFY2(warnings.empty(), toText(warnings).c_str());
  }

  void namesAreDistinct() {
    std::vector<std::string> names, titles;
    for (const PublishedName& each : publishedNames()) {
      QVERIFY(!each.group.empty());
      names.push_back(each.name);
      titles.push_back(published(each.name).name);
    }
    for (std::vector<std::string>* list : {&names, &titles}) {
      std::ranges::sort(*list);
      QVERIFY(std::ranges::adjacent_find(*list) == list->end());
    }
  }

  void parametersAreThoseOfTheReference_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<long long>("parameters");
    // torchvision and timm.
    for (const auto& [name, parameters] : {std::pair{"resnet18-imagenet", 11'689'512LL},
                                           std::pair{"resnet26-imagenet", 15'995'176LL},
                                           std::pair{"resnet34-imagenet", 21'797'672LL},
                                           std::pair{"resnet101-imagenet", 44'549'160LL},
                                           std::pair{"resnet152-imagenet", 60'192'808LL},
                                           std::pair{"resnet200-imagenet", 64'673'832LL},
                                           std::pair{"resnet50-d", 25'576'264LL},
                                           std::pair{"mobilenet-v2-1.0", 3'504'872LL},
                                           std::pair{"mobilenet-v2-1.4", 6'108'776LL}}) {
      QTest::newRow(name) << std::string(name) << parameters;
    }
  }

  void parametersAreThoseOfTheReference() {
    QFETCH(std::string, name);
    QFETCH(long long, parameters);
    QCOMPARE(costOf(published(name)).parameters, parameters);
  }

  // The largest networks take seconds to fill with random numbers; their small copies have the same
  // layers.
  void costEqualsBuiltParameters_data() {
    constexpr long long kMostParameters = 30'000'000;
    QTest::addColumn<std::string>("name");
    for (const PublishedName& each : publishedNames()) {
      if (costOf(published(each.name)).parameters > kMostParameters) continue;
      QTest::newRow(each.name.c_str()) << each.name;
    }
  }

  void costEqualsBuiltParameters() {
    QFETCH(std::string, name);
    const Architecture network = published(name);
    QCOMPARE(static_cast<long long>(parameterCount(*Network(network))), costOf(network).parameters);
  }

  void smallCopiesTrain_data() { addPublishedRows(); }

  void smallCopiesTrain() {
    QFETCH(std::string, name);
    const Architecture architecture = narrow(published(name));
    QVERIFY(!hasErrors(validate(architecture)));
    Network network(architecture);
    QCOMPARE(static_cast<long long>(parameterCount(*network)), costOf(architecture).parameters);
    const at::Tensor logits = network(at::randn({2, 3, kSmallSide, kSmallSide}));
    QCOMPARE(logits.sizes(), at::IntArrayRef({2, architecture.outputs}));
    logits.square().sum().backward();
    for (const auto& parameter : network->named_parameters()) {
      const at::Tensor& gradient = parameter.value().grad();
      QVERIFY2(gradient.defined() && gradient.isfinite().all().item<bool>(),
               parameter.key().c_str());
    }
  }

  void networksRunAtTheirOwnSize_data() {
    QTest::addColumn<std::string>("name");
    for (const char* name : {"resnet18-imagenet",
                             "resnet18-d",
                             "resnet50-imagenet-cccl",
                             "mobilenet-v2-0.5",
                             "mobilenet-v2-lambda",
                             "lambda-resnet-50"}) {
      QTest::newRow(name) << std::string(name);
    }
  }

  void networksRunAtTheirOwnSize() {
    QFETCH(std::string, name);
    Network network(published(name));
    network->eval();
    const at::NoGradGuard guard;
    const MapShape& input = network->architecture.input;
    const at::Tensor logits = network(at::randn({1, 3, input.height, input.width}));
    QCOMPARE(logits.sizes(), at::IntArrayRef({1, 1000}));
    QVERIFY(logits.isfinite().all().item<bool>());
  }

  void theLargestNetworkIsDescribedFast() {
    std::array<qint64, 5> times{};
    for (qint64& time : times) {
      QElapsedTimer timer;
      timer.start();
      const Architecture network = published("lambda-resnet-420");
      const NetworkCost cost = costOf(network);
      const bool isSound = !hasErrors(validate(network));
      time = timer.elapsed();
      QVERIFY(isSound && cost.parameters > 100'000'000);
      QCOMPARE(network.input.height, 320);
    }
    QVERIFY2(*std::ranges::min_element(times) < 25,
             std::to_string(*std::ranges::min_element(times)).c_str());
  }

  void lambdaLayersStandWhereTable18Says() {
    const std::vector<Stage> stages = published("lambda-resnet-101").stages;
    QCOMPARE(stages[2].blocks.size(), std::size_t{23});
    for (std::size_t i = 0; i < stages[2].blocks.size(); ++i) {
      const bool isLambda = i + 1 == 6 || i + 1 == 12 || i + 1 == 18;
      QCOMPARE(std::holds_alternative<LambdaMixer>(stages[2].blocks[i].mixer), isLambda);
    }
    QCOMPARE(patternOf(published("lambda-resnet-101-c4")), std::string("C-C-L-L"));
    const std::vector<Block> large = published("lambda-resnet-420").stages[2].blocks;
    QCOMPARE(std::ranges::count_if(large,
                                   [](const Block& block) {
                                     return std::holds_alternative<LambdaMixer>(block.mixer);
                                   }),
             8);
    QVERIFY(std::holds_alternative<LambdaMixer>(large[79].mixer));
    for (const std::string name : {"lambda-resnet-152", "lambda-resnet-152-c4"}) {
      for (const Stage& stage : published(name).stages) {
        for (const Block& block : stage.blocks) {
          QVERIFY(!block.squeezeExcitation ||
                  std::holds_alternative<ConvolutionMixer>(block.mixer));
        }
      }
    }
  }

  void regularisationIsThatOfTable20() {
    for (const auto& [name, magnitude, dropout, rate] :
         {std::tuple{"lambda-resnet-50", 10.0, 0.2, 0.0},
          std::tuple{"lambda-resnet-101", 15.0, 0.2, 0.0},
          std::tuple{"lambda-resnet-152", 15.0, 0.3, 0.1},
          std::tuple{"lambda-resnet-420", 15.0, 0.3, 0.2}}) {
      const RunConfig config = *publishedNetwork(name);
      QCOMPARE(config.data.augmentation.randAugmentOperations, 2);
      QCOMPARE(config.data.augmentation.randAugmentMagnitude, magnitude);
      QCOMPARE(config.architecture.head.dropout, dropout);
      QCOMPARE(config.architecture.stages.back().blocks.back().stochasticDepth, rate);
    }
    QCOMPARE(publishedNetwork("resnet101-imagenet")->data.augmentation.randAugmentOperations, 0);
  }

  void mobileNetsHaveAnyWidth() {
    const Architecture narrow = published("mobilenet-v2-0.6");
    QCOMPARE(narrow.stem.width, 24);       // 19.2 would lose 17 % as 16.
    QCOMPARE(narrow.stages[1].width, 16);  // 14.4
    QCOMPARE(narrow.head.width, 1280);
    QCOMPARE(published("mobilenet-v2-2").head.width, 2560);
    const std::vector<Stage> stages = published("mobilenet-v2-lambda-0.5").stages;
    QVERIFY(std::holds_alternative<LambdaMixer>(stages[3].blocks[3].mixer));
    QVERIFY(std::holds_alternative<LambdaMixer>(stages[5].blocks[2].mixer));
    QCOMPARE(stages[3].blocks[3].expansion, 1);
    for (const char* name : {"mobilenet-v2-",
                             "mobilenet-v2-wide",
                             "mobilenet-v2-1.0x",
                             "mobilenet-v2-0.01",
                             "mobilenet-v2-nan",
                             "mobilenet-v2-lambda1",
                             "mobilenet-v2-lambda-",
                             "resnet19-cifar",
                             ""}) {
      QVERIFY2(!publishedNetwork(name), name);
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPublishedNetworks)
#include "tst_published_networks.moc"
