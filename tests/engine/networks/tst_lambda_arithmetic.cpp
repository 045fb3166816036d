#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/networks/inspection/lambda_arithmetic.h"
#include "tests/support/lambda_case_rows.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

at::Tensor tensorOf(const Array& array) {
  return at::tensor(at::ArrayRef<float>(array.values)).view(array.shape).to(at::kDouble);
}

}  // namespace

class TestLambdaArithmetic : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(5); }

  void matricesEqualTheNaiveLoops_data() { addCases(); }

  void matricesEqualTheNaiveLoops() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer(options);
    randomizeNorms(*layer);
    layer->eval();
    const at::NoGradGuard guard;
    const at::Tensor x = at::randn({1, options.inputDepth, options.mapHeight, options.mapWidth});
    const NaiveLambda naive = naiveOf(layer);
    const NaiveLambda::Operands parts = naive.operands(numbersOf(x), 1);
    const QueryPlace query{options.mapHeight - 1, 0};
    const int n = static_cast<int>(query.row) * options.mapWidth;
    InspectionSnapshot seen;
    decompose(layer, operandsOf(layer, x), query, seen);

    const auto k = naive.lambdas() * options.mixer.queryDepth, h = options.mixer.heads;
    const at::Tensor content =
        at::tensor(naive.contentLambda(parts, 0, n), at::kDouble).view({k, -1});
    const at::Tensor position =
        at::tensor(naive.positionLambda(parts, 0, n), at::kDouble).view({k, -1});
    if (options.mixer.content) VERIFY_CLOSE(tensorOf(seen.lambdas.content), content, 1e-5, 1e-5);
    if (!layer->embedding.is_empty()) {
      VERIFY_CLOSE(tensorOf(seen.lambdas.position), position, 1e-4, 1e-5);
    }
    QCOMPARE(seen.lambdas.content.empty(), !options.mixer.content);
    QCOMPARE(seen.lambdas.position.empty(), layer->embedding.is_empty());
    VERIFY_CLOSE(tensorOf(seen.lambdas.total), content + position, 1e-4, 1e-5);

    const at::Tensor y = layer(x)[0].select(1, query.row).select(1, query.column).view({h, -1});
    VERIFY_CLOSE(at::matmul(tensorOf(seen.queries), tensorOf(seen.lambdas.total)), y, 1e-4, 1e-5);
    const double energy = seen.balance.contentEnergy + seen.balance.positionEnergy +
                          2 * seen.balance.cosine *
                              std::sqrt(seen.balance.contentEnergy * seen.balance.positionEnergy);
    QVERIFY(std::abs(energy - y.to(at::kDouble).square().sum().item<double>()) <
            1e-4 * (1 + energy));
    // Each head's lambda is a map of its own.
    const std::int64_t heads = naive.lambdas();
    const at::Tensor values = tensorOf(seen.singularValues.total).view({heads, -1});
    const at::Tensor maps =
        tensorOf(seen.lambdas.total).view({heads, options.mixer.queryDepth, -1});
    QCOMPARE(seen.singularValues.total.shape.size(), std::size_t(heads > 1 ? 2 : 1));
    VERIFY_CLOSE(values.square().sum(1), maps.square().sum({1, 2}), 1e-4, 1e-5);
  }

  void contributionsAreQueriesTimesKeysAndEmbeddings_data() { addCases(); }

  void contributionsAreQueriesTimesKeysAndEmbeddings() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer(options);
    layer->eval();
    const at::NoGradGuard guard;
    const at::Tensor x = at::randn({1, options.inputDepth, options.mapHeight, options.mapWidth});
    const NaiveLambda naive = naiveOf(layer);
    const NaiveLambda::Operands parts = naive.operands(numbersOf(x), 1);
    InspectionSnapshot seen;
    decompose(layer, operandsOf(layer, x), {0, options.mapWidth - 1}, seen);
    const int n = options.mapWidth - 1, m = naive.positions();
    const int k = options.mixer.queryDepth, u = options.mixer.intraDepth, h = options.mixer.heads;
    QVERIFY(seen.contributions.total.shape ==
            (std::vector<std::int64_t>{h, u, options.mapHeight, options.mapWidth}));
    const std::vector<double> keys =
        options.mixer.content ? naive.normalizedKeys(parts, 0, n) : std::vector<double>();
    for (int head = 0; head < h; ++head) {
      const int t = options.mixer.multiHead ? head : 0;
      for (int j = 0; j < u; ++j) {
        for (int pixel = 0; pixel < m; ++pixel) {
          double expected = 0;
          for (int i = 0; i < k && naive.sees(n, pixel); ++i) {
            const double key =
                keys.empty() ? 0 : keys[((pixel * naive.lambdas() + t) * u + j) * k + i];
            const double e = naive.table.empty() ? 0 : naive.embedding(n, pixel, j, i, t);
            expected += parts.queries[(n * h + head) * k + i] * (key + e);
          }
          const double actual = seen.contributions.total.values[(head * u + j) * m + pixel];
          QVERIFY(std::abs(actual - expected) < 1e-5 * (1 + std::abs(expected)));
        }
      }
    }
    for (std::size_t slot = 0; slot < seen.keys.entropy.size(); ++slot) {
      double sum = 0, squares = 0;
      for (int pixel = 0; pixel < m; ++pixel) {
        const double weight = seen.keys.regions.values[slot * m + pixel];
        sum += weight, squares += weight * weight;
      }
      bool hasContext = false;
      for (int pixel = 0; pixel < m; ++pixel) hasContext = hasContext || naive.sees(n, pixel);
      if (!hasContext) QCOMPARE(squares, 0.0);
      if (!hasContext) continue;
      const KeyNormalization normalization = options.mixer.keyNormalization;
      if (normalization == KeyNormalization::softmax) QVERIFY(std::abs(sum - 1) < 1e-5);
      if (normalization == KeyNormalization::l2) QVERIFY(std::abs(squares - 1) < 1e-5);
      QVERIFY(seen.keys.entropy[slot] > -1e-6 && seen.keys.entropy[slot] < std::log(m) + 1e-6);
    }
  }

  void embeddingTilesAreWhatTheQueryMeets_data() { addCases(); }

  void embeddingTilesAreWhatTheQueryMeets() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer(options);
    const NaiveLambda naive = naiveOf(layer);
    const QueryPlace query{options.mapHeight / 2, options.mapWidth / 2};
    const at::Tensor before =
        layer->embedding.is_empty() ? at::Tensor() : layer->embedding->table - 1;
    const EmbeddingTiles seen = embeddingTilesOf(layer, before, query, false);
    QCOMPARE(seen.tiles.empty(), naive.table.empty());
    if (naive.table.empty()) return;
    VERIFY_CLOSE(tensorOf(seen.change), at::ones(seen.change.shape), 1e-6, 0.0);
    const std::int64_t rows = seen.tiles.shape[2], columns = seen.tiles.shape[3];
    const bool absolute = options.mixer.embedding == PositionEmbedding::absolute;
    const int n = static_cast<int>(query.row * options.mapWidth + query.column);
    for (int m = 0; m < naive.positions(); ++m) {
      std::int64_t row = m / options.mapWidth, column = m % options.mapWidth;
      if (!absolute) row += rows / 2 - query.row, column += columns / 2 - query.column;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      const int k = options.mixer.queryDepth, u = options.mixer.intraDepth;
      for (int tile = 0; tile < naive.lambdas() * k * u; ++tile) {
        const int t = tile / (k * u), i = tile / u % k, j = tile % u;
        const double actual = seen.tiles.values[(tile * rows + row) * columns + column];
        QCOMPARE(actual, naive.embedding(n, m, j, i, t));
      }
    }
    for (std::size_t i = 1; i < seen.order.size(); ++i) {
      QVERIFY(seen.norms[seen.order[i - 1]] >= seen.norms[seen.order[i]]);
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaArithmetic)
#include "tst_lambda_arithmetic.moc"
