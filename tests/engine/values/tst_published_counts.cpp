#include <cmath>
#include <set>
#include <string>
#include <variant>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/graph.h"

// tests/data/published_counts.json has counts that the sources give, beside ours. The keys of
// a row: "network", a preset, and "set", its overrides, are the reading of the source as a network;
// "quantity" is the rule that counts; "ours" is that count, computed anew here; "note" says why
// ours differs where it does by more than the rounding of the source, or which reading was needed.

namespace lambda {

namespace {

using Json = nlohmann::json;

Json publishedCounts() {
  return Json::parse(readFile(LAMBDA_TEST_DATA "/published_counts.json", 1 << 20))["rows"];
}

Architecture architectureOf(const Json& row) {
  std::vector<Problem> warnings;
  RunConfig config = loadPreset(row["network"].get<std::string>(), warnings);
  for (const Json& assignment : row.value("set", Json::array())) {
    applyOverride(config, assignment.get<std::string>());
  }
  return config.architecture;
}

/// The map after a mixer and its block's stride: no block changes the side of a map within a stage.
const MapShape& mapAfter(const NetworkGraph& graph, const PlacedMixer& place) {
  return graph.stageOutputs[static_cast<std::size_t>(place.stage)];
}

/// Table 4's memory for position embeddings e_nm of lambda layers, on the maps after each block's
/// stride, in float32; a shared table counts once.
double embeddingMemory(const Architecture& architecture) {
  double bytes = 0;
  std::set<std::string> shared;
  const NetworkGraph graph = graphOf(architecture);
  for (const PlacedMixer& place : graph.mixers()) {
    const auto* mixer = std::get_if<LambdaMixer>(&place.mixer);
    if (!mixer) continue;
    const std::string& name = mixer->sharedEmbeddings;
    if (!name.empty() && !shared.insert(name).second) continue;
    const auto n = static_cast<double>(mapAfter(graph, place).positions());
    bytes += sizeof(float) * mixer->queryDepth * n * n;
  }
  return bytes;
}

/// Table 4's memory for the attention maps of a batch of 128 images, on the maps after each block's
/// stride, in float32.
double attentionMemory(const Architecture& architecture) {
  constexpr double kBatch = 128;
  double bytes = 0;
  const NetworkGraph graph = graphOf(architecture);
  for (const PlacedMixer& place : graph.mixers()) {
    const MapShape& map = mapAfter(graph, place);
    const auto n = static_cast<double>(map.positions());
    const double batch = kBatch * sizeof(float);
    if (const auto* global = std::get_if<SelfAttentionMixer>(&place.mixer)) {
      bytes += batch * global->heads * n * n;
    }
    if (const auto* axial = std::get_if<AxialAttentionMixer>(&place.mixer)) {
      bytes += batch * axial->heads * n * (map.height + map.width);
    }
  }
  return bytes;
}

double countOf(const std::string& quantity, const Architecture& architecture) {
  if (quantity == "parameters") return static_cast<double>(costOf(architecture).parameters);
  if (quantity == "flops") return static_cast<double>(costOf(architecture).flops);
  if (quantity == "multiplyAdds") return static_cast<double>(costOf(architecture).flops) / 2;
  if (quantity == "embeddingMemory") return embeddingMemory(architecture);
  if (quantity == "attentionMemory") return attentionMemory(architecture);
  qFatal("unknown quantity %s", quantity.c_str());
}

double unitOf(const std::string& unit) {
  if (unit == "M") return 1e6;
  if (unit == "G") return 1e9;
  if (unit == "MiB") return 0x1p20;
  if (unit == "GiB") return 0x1p30;
  qFatal("unknown unit %s", unit.c_str());
}

/// Half a unit of a number's last digit: "15.0" is known to 0.05.
double roundingOf(const std::string& number) {
  const std::size_t point = number.find('.');
  const auto decimals = point == std::string::npos ? 0 : number.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals)) * (1 + 1e-9);
}

}  // namespace

class TestPublishedCounts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oursIsComputed_data();
  void oursIsComputed();
  void everyDifferenceIsExplained_data();
  void everyDifferenceIsExplained();

 private:
  static void addRows() {
    QTest::addColumn<int>("index");
    const Json rows = publishedCounts();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QTest::addRow("%s, %s, %s",
                    rows[i]["source"].get<std::string>().c_str(),
                    rows[i]["row"].get<std::string>().c_str(),
                    rows[i]["quantity"].get<std::string>().c_str())
          << static_cast<int>(i);
    }
  }

  static Json currentRow() {
    QFETCH(int, index);
    return publishedCounts()[static_cast<std::size_t>(index)];
  }
};

void TestPublishedCounts::oursIsComputed_data() {
  addRows();
}

void TestPublishedCounts::oursIsComputed() {
  const Json row = currentRow();
  if (row["network"].is_null()) {
    QVERIFY(row["ours"].is_null());
    return;
  }
  QCOMPARE(row["ours"].get<double>(),
           countOf(row["quantity"].get<std::string>(), architectureOf(row)));
}

void TestPublishedCounts::everyDifferenceIsExplained_data() {
  addRows();
}

void TestPublishedCounts::everyDifferenceIsExplained() {
  const Json row = currentRow();
  const auto note = row["note"].get<std::string>();
  if (!note.empty() && !note.starts_with("Reading:")) return;
  QVERIFY2(!row["ours"].is_null(), "a network that is not ours needs a note");
  const auto published = row["published"].get<std::string>();
  const double ours = row["ours"].get<double>() / unitOf(row["unit"].get<std::string>());
  const double difference = std::abs(ours - std::stod(published));
  QVERIFY2(difference <= roundingOf(published), std::to_string(ours).c_str());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPublishedCounts)
#include "tst_published_counts.moc"
