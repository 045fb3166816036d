#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/lambda_core_kernel.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

/// Relative distance in float32: some hundred roundings.
constexpr double kTolerance = 3e-6;

/// A core on a map, with relative embeddings.
struct Case {
  std::int64_t batch, height, width, intraDepth, heads, queryDepth, valueDepth;
  std::int64_t scope;  ///< 0 = global.
  bool hasContent, hasPositions;
  CoreOrder order = CoreOrder::automatic;
};

struct Gradients {
  std::vector<float> queries, keys, values, table;

  bool operator==(const Gradients&) const = default;
};

struct Expected {
  std::vector<double> y, queries, keys, values, table;
};

/// The operands of a case, of random numbers, and what comes out of them by one loop an index, in
/// double.
class Core {
 public:
  explicit Core(const Case& one) : one_(one) {
    const std::int64_t n = one.height * one.width;
    const std::int64_t rows =
        one.scope > 0 ? one.scope * one.scope : (2 * one.height - 1) * (2 * one.width - 1);
    shape.images = one.batch;
    shape.queries = shape.positions = n;
    shape.intraDepth = one.intraDepth;
    shape.heads = one.heads;
    shape.queryDepth = one.queryDepth;
    shape.valueDepth = one.valueDepth;
    shape.tableRows = one.hasPositions ? rows : 0;
    shape.hasContent = one.hasContent;
    shape.order = one.order;
    const std::int64_t context = shape.contextRows();
    queries_ = random(one.batch * n * one.heads * one.queryDepth);
    keys_ = random(one.hasContent ? one.batch * context * one.queryDepth : 0);
    values_ = random(one.batch * context * one.valueDepth);
    table_ = random(shape.tableRows * one.intraDepth * one.queryDepth);
    dy = random(one.batch * n * one.heads * one.valueDepth);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) tableRowOf_.push_back(rowOf(i, j));
    }
  }

  CoreInputs inputs() const {
    return {queries_.data(), keys_.data(), values_.data(), table_.data(), tableRowOf_.data()};
  }

  std::vector<float> forward(const ParallelFor& parallelFor) const {
    std::vector<float> y(dy.size(), std::numeric_limits<float>::quiet_NaN());
    lambdaCoreForward(shape, inputs(), y.data(), parallelFor);
    return y;
  }

  Gradients backward(const ParallelFor& parallelFor) const {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    Gradients found{queries_, keys_, values_, table_};
    for (auto* each : {&found.queries, &found.keys, &found.values, &found.table})
      std::ranges::fill(*each, kNaN);
    lambdaCoreBackward(
        shape,
        inputs(),
        dy.data(),
        {found.queries.data(), found.keys.data(), found.values.data(), found.table.data()},
        parallelFor);
    return found;
  }

  Expected expected() const {
    Expected e;
    e.y.resize(dy.size());
    e.queries.resize(queries_.size());
    e.keys.resize(keys_.size());
    e.values.resize(values_.size());
    e.table.resize(table_.size());
    for (std::int64_t b = 0; b < shape.images; ++b) {
      for (std::int64_t i = 0; i < shape.queries; ++i) {
        for (std::int64_t row = 0; row < shape.contextRows(); ++row) {
          for (std::int64_t h = 0; h < shape.heads; ++h) add(e, b, i, row, h);
        }
      }
    }
    return e;
  }

  CoreShape shape;
  std::vector<float> dy;

 private:
  std::vector<float> random(std::int64_t size) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) value = normal_(generator_);
    return values;
  }

  std::int32_t rowOf(std::int64_t query, std::int64_t position) const {
    const std::int64_t down = position / one_.width - query / one_.width;
    const std::int64_t right = position % one_.width - query % one_.width;
    const std::int64_t reach = one_.scope / 2;
    if (one_.scope == 0) {
      return static_cast<std::int32_t>((down + one_.height - 1) * (2 * one_.width - 1) + right +
                                       one_.width - 1);
    }
    if (std::abs(down) > reach || std::abs(right) > reach) return -1;
    return static_cast<std::int32_t>((down + reach) * one_.scope + right + reach);
  }

  /// One term of the sum, q . (kbar + e) v, and of its gradients.
  void add(Expected& e, std::int64_t b, std::int64_t i, std::int64_t row, std::int64_t h) const {
    const std::int64_t k = shape.queryDepth, v = shape.valueDepth, u = shape.intraDepth;
    const std::int32_t found = tableRowOf_[static_cast<std::size_t>(i * shape.positions + row / u)];
    const std::int64_t table = one_.hasPositions && found >= 0 ? (found * u + row % u) * k : -1;
    const auto query = static_cast<std::size_t>(((b * shape.queries + i) * shape.heads + h) * k);
    const auto key = static_cast<std::size_t>((b * shape.contextRows() + row) * k);
    const auto value = static_cast<std::size_t>((b * shape.contextRows() + row) * v);
    const auto out = static_cast<std::size_t>(((b * shape.queries + i) * shape.heads + h) * v);
    double score = 0;
    double scoreGradient = 0;
    const auto weight = [&](std::size_t c) {
      double sum = one_.hasContent ? static_cast<double>(keys_[key + c]) : 0.0;
      if (table >= 0) sum += static_cast<double>(table_[static_cast<std::size_t>(table) + c]);
      return sum;
    };
    for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c)
      score += static_cast<double>(queries_[query + c]) * weight(c);
    for (std::size_t c = 0; c < static_cast<std::size_t>(v); ++c) {
      const auto d = static_cast<double>(dy[out + c]);
      const auto in = static_cast<double>(values_[value + c]);
      e.y[out + c] += score * in;
      e.values[value + c] += score * d;
      scoreGradient += d * in;
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c) {
      const double share = scoreGradient * static_cast<double>(queries_[query + c]);
      e.queries[query + c] += scoreGradient * weight(c);
      if (one_.hasContent) e.keys[key + c] += share;
      if (table >= 0) e.table[static_cast<std::size_t>(table) + c] += share;
    }
  }

  Case one_;
  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
  std::vector<float> queries_, keys_, values_, table_;
  std::vector<std::int32_t> tableRowOf_;
};

}  // namespace

class TestLambdaCoreKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void theSameBitsWithAnyNumberOfThreads();
  void oneImageMoreChangesNoOtherImage();
};

void TestLambdaCoreKernel::equalsLoopsInDouble_data() {
  QTest::addColumn<Case>("one");
  const auto row = [](const char* name, const Case& one) { QTest::newRow(name) << one; };
  row("8x8, as in ResNet-50", {17, 8, 8, 1, 4, 16, 16, 0, true, true});
  row("4x4, v 32", {9, 4, 4, 1, 4, 16, 32, 0, true, true});
  row("2x2, v 64", {5, 2, 2, 1, 4, 16, 64, 0, true, true});
  row("one position", {3, 1, 1, 1, 4, 16, 128, 0, true, true});
  row("7x7", {3, 7, 7, 1, 4, 16, 24, 0, true, true});
  row("14x14", {2, 14, 14, 1, 4, 16, 16, 0, true, true});
  row("33x17", {1, 33, 17, 1, 2, 16, 5, 0, true, true});
  row("window of 7 on 16x16", {2, 16, 16, 1, 4, 16, 16, 7, true, true});
  row("window of 3 on 17x9, odd depths", {2, 17, 9, 1, 3, 7, 11, 3, true, true});
  row("window beyond the map", {3, 3, 5, 1, 4, 8, 8, 23, true, true});
  row("positions alone", {3, 6, 9, 1, 4, 16, 16, 0, false, true});
  row("content alone", {3, 6, 9, 1, 4, 16, 16, 0, true, false});
  row("content alone, keys met", {3, 3, 5, 1, 4, 16, 24, 0, true, false});
  row("window of 3, keys met", {9, 4, 4, 1, 4, 16, 40, 3, true, true});
  row("3 heads, keys met", {9, 4, 4, 1, 3, 16, 40, 0, true, true});
  row("intra-depth 4, keys met", {3, 2, 3, 4, 4, 16, 40, 0, true, true});
  row("more images than stay in the caches", {200, 8, 8, 1, 4, 16, 40, 0, true, true});
  row("intra-depth 4", {3, 5, 4, 4, 4, 16, 16, 0, true, true});
  row("intra-depth 4, window", {3, 8, 8, 4, 2, 16, 9, 5, true, true});
  const auto lambdasFirst = [&](const char* name, Case one) {
    one.order = CoreOrder::lambdasFirst;
    row(name, one);
  };
  lambdasFirst("lambdas first, 8x8", {17, 8, 8, 1, 8, 16, 16, 0, true, true});
  lambdasFirst("lambdas first, odd depths", {9, 5, 7, 1, 3, 7, 11, 0, true, true});
  lambdasFirst("lambdas first, intra-depth 4", {3, 4, 5, 4, 4, 16, 24, 0, true, true});
  lambdasFirst("lambdas first, positions alone", {3, 4, 5, 1, 16, 8, 8, 0, false, true});
  lambdasFirst("lambdas first, content alone", {3, 4, 5, 1, 16, 8, 8, 0, true, false});
  lambdasFirst("lambdas first, but a window", {2, 7, 6, 1, 16, 8, 8, 3, true, true});
  for (const std::int64_t depth : {1, 8, 16, 32, 64}) {
    QTest::addRow("k %d", static_cast<int>(depth)) << Case{2, 4, 5, 1, 4, depth, 16, 0, true, true};
  }
  for (const std::int64_t heads : {1, 2, 4, 8, 16, 40}) {
    QTest::addRow("h %d", static_cast<int>(heads)) << Case{3, 4, 5, 1, heads, 16, 8, 0, true, true};
  }
}

void TestLambdaCoreKernel::equalsLoopsInDouble() {
  QFETCH(Case, one);
  const Core core(one);
  const Expected expected = core.expected();
  QVERIFY2(distance(core.forward(withThreads(1)), expected.y) < kTolerance, "y");
  const Gradients found = core.backward(withThreads(1));
  QVERIFY2(distance(found.queries, expected.queries) < kTolerance, "queries");
  QVERIFY2(distance(found.keys, expected.keys) < kTolerance, "keys");
  QVERIFY2(distance(found.values, expected.values) < kTolerance, "values");
  QVERIFY2(distance(found.table, expected.table) < kTolerance, "table");
}

void TestLambdaCoreKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Case& one : {Case{37, 8, 8, 1, 4, 16, 16, 0, true, true},
                          Case{5, 6, 7, 2, 2, 16, 20, 3, true, true},
                          Case{200, 8, 8, 1, 4, 16, 40, 0, true, true},
                          Case{37, 8, 8, 1, 16, 8, 4, 0, true, true, CoreOrder::lambdasFirst}}) {
    const Core core(one);
    const std::vector<float> y = core.forward(withThreads(1));
    const Gradients gradients = core.backward(withThreads(1));
    for (const std::int64_t threads : {2, 5}) {
      QVERIFY(core.forward(withThreads(threads)) == y);
      QVERIFY(core.backward(withThreads(threads)) == gradients);
    }
  }
}

void TestLambdaCoreKernel::oneImageMoreChangesNoOtherImage() {
  const Core core({20, 5, 5, 1, 4, 16, 16, 0, true, true});
  const std::vector<float> all = core.forward(withThreads(1));
  CoreShape fewer = core.shape;
  fewer.images = 19;
  std::vector<float> y(all.size() / 20 * 19);
  lambdaCoreForward(fewer, core.inputs(), y.data(), withThreads(1));
  QVERIFY(std::equal(y.begin(), y.end(), all.begin()));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreKernel)

#include "tst_lambda_core_kernel.moc"
