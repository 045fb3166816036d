#include <algorithm>
#include <cmath>
#include <vector>

#include <QTest>

#include "engine/benchmarks/scaling/scaling_model.h"

using namespace lambda;

namespace {

/// The sum in a ring, message by message: in each of 2 (n - 1) turns every node passes a part of
/// 1 / n on, and waits for the one that it gets.
double ringBySteps(double bytes, int nodes, const NodeLinks& links) {
  std::vector<double> now(static_cast<std::size_t>(nodes), 0.0);
  for (int turn = 0; turn < 2 * (nodes - 1); ++turn) {
    std::vector<double> next(now.size());
    for (std::size_t node = 0; node < now.size(); ++node) {
      const double sent = now[(node + now.size() - 1) % now.size()];
      next[node] = std::max(now[node], sent + bytes / nodes / links.bytesPerSecond + links.latency);
    }
    now = next;
  }
  return *std::ranges::max_element(now);
}

bool isNear(double a, double b) {
  return std::abs(a - b) < 1e-9 * std::abs(b);
}

}  // namespace

class TestScalingModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void theFormulaIsThatOfTheMessages() {
    const NodeLinks links{.bytesPerSecond = 1e9, .latency = 20e-6};
    for (const int nodes : {2, 3, 8, 100}) {
      QVERIFY(isNear(ringSeconds(10000000, nodes, links), ringBySteps(1e7, nodes, links)));
    }
    QCOMPARE(ringBytes(1000, 2), 1000.0);
    QCOMPARE(ringBytes(1000, 4), 1500.0);
  }

  void aSumHidesBehindTheComputing() {
    const NodeLinks links{.bytesPerSecond = 1e6, .latency = 0};
    // Two nodes send 1e5 bytes in 0.1 s.
    QVERIFY(isNear(stepSeconds({1, {{100000, 0.5}, {0, 0.9}}}, 2, links), 1));
    QVERIFY(isNear(stepSeconds({1, {{100000, 1}}}, 2, links), 1.1));
    // The update, a tenth of a second, waits for the sum.
    QVERIFY(isNear(stepSeconds({1, {{200000, 0.9}}}, 2, links), 1.2));
    // The second bucket waits for the first.
    QVERIFY(isNear(stepSeconds({1, {{300000, 0.8}, {100000, 1}}}, 2, links), 1.2));
    QVERIFY(isNear(efficiencyOf({1, {{100000, 1}}}, 2, links), 1 / 1.1));
    QVERIFY(isNear(stepSeconds(fasterBy({1, {{100000, 1}}}, 10), 2, links), 0.2));
    QCOMPARE(stepSeconds({1, {}}, 2, links), 1.0);
  }

  void moreNodesNeverHelpAStep() {
    const RankStep step{0.1, {{25 << 20, 0.06}, {10 << 20, 0.09}}};
    const NodeLinks links{.bytesPerSecond = 3e9, .latency = 20e-6};
    double before = 1;
    for (const int nodes : {2, 8, 64, 512}) {
      const double efficiency = efficiencyOf(step, nodes, links);
      QVERIFY(efficiency > 0 && efficiency <= before);
      before = efficiency;
    }
  }
};

QTEST_GUILESS_MAIN(TestScalingModel)
#include "tst_scaling_model.moc"
