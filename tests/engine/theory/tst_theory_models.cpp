#include <cmath>
#include <functional>

#include <QTest>

#include "engine/theory/draws.h"
#include "engine/theory/experiments/trace.h"
#include "engine/theory/models/deep_linear_regularizer.h"
#include "engine/theory/models/linear_classifier.h"
#include "engine/theory/models/linear_layers.h"
#include "engine/theory/models/matrix_sensing.h"
#include "engine/theory/models/normalized_network.h"
#include "engine/theory/models/optimizers.h"
#include "engine/theory/models/quadratic_network.h"

using namespace lambda;
using namespace lambda::theory;

namespace {

/// The largest difference between `gradient` and central differences of `function`, which reads
/// `values`, relative to the largest entry of the gradient.
double gradientError(Eigen::MatrixXd& values,
                     const Eigen::MatrixXd& gradient,
                     const std::function<double()>& function) {
  constexpr double kStep = 1e-5;
  double largest = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double value = values(i);
    values(i) = value + kStep;
    const double above = function();
    values(i) = value - kStep;
    const double below = function();
    values(i) = value;
    largest = std::max(largest, std::abs((above - below) / (2 * kStep) - gradient(i)));
  }
  return largest / gradient.cwiseAbs().maxCoeff();
}

}  // namespace

/// The models of the theory experiments: closed gradients, and what can be said of them exactly.
class TestTheoryModels : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void normalNumbersHaveTheirMoments() {
    Draws draws({7});
    const Eigen::ArrayXd sample = draws.normalVector(200000).array();
    // Four standard errors: 1/sqrt(n), sqrt(2/n) and sqrt(96/n).
    QVERIFY(std::abs(sample.mean()) < 0.009);
    QVERIFY(std::abs(sample.square().mean() - 1) < 0.0127);
    QVERIFY(std::abs(sample.square().square().mean() - 3) < 0.088);
    const Eigen::MatrixXd weights = draws.glorotMatrix(100, 300);
    QVERIFY(std::abs(weights.squaredNorm() / 30000 - 2.0 / 400) < 2e-4);
  }

  void tracesKeepOneOfSeveralSteps() {
    Trace trace({"value"});
    for (long step = 0; step < 10000; ++step) {
      if (trace.isDue(step)) trace.add(step, std::vector{2.0 * static_cast<double>(step)});
    }
    const TheorySeries& series = trace.series().front();
    QVERIFY(series.x.size() > 150 && series.x.size() <= 401);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      QCOMPARE(series.x[i], static_cast<double>(i) * series.x[1]);
      QCOMPARE(series.y[i], 2 * series.x[i]);
    }
    QVERIFY(series.x.back() > 9900);
  }

  void classifierGradientMatchesCentralDifferences() {
    Draws draws({1});
    const ClassifiedPoints points{draws.normalMatrix(7, 4), {0, 2, 1, 2, 0, 1, 1}};
    Layers layers = {draws.glorotMatrix(4, 5), draws.glorotMatrix(5, 6), draws.glorotMatrix(6, 3)};
    const auto loss = [&] { return classifierLoss(points, productOf(layers)).value; };
    const Layers gradients =
        layerGradients(layers, classifierLoss(points, productOf(layers)).gradient);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      QVERIFY(gradientError(layers[i], gradients[i], loss) < 1e-8);
    }
  }

  void classifierCountsHits() {
    ClassifiedPoints points{Eigen::MatrixXd::Identity(4, 4), {0, 1, 2, 0}};
    QCOMPARE(classifierAccuracy(points, Eigen::MatrixXd::Identity(4, 4)), 0.75);
    QVERIFY(std::abs(classifierLoss(points, Eigen::MatrixXd::Zero(4, 4)).value - std::log(4)) <
            1e-14);
  }

  void quadraticOutputsAreThoseOfTheUnits() {
    Draws draws({2});
    const QuadraticNetwork network{draws.normalMatrix(4, 6), draws.normalVector(6), 0.3};
    const Eigen::MatrixXd points = draws.normalMatrix(9, 4);
    const Eigen::VectorXd expected =
        network.scale * ((points * network.a).array().square().matrix() * network.b);
    const Eigen::VectorXd found = QuadraticPoints(points).outputs(network.form());
    QVERIFY((found - expected).norm() < 1e-13 * expected.norm());
  }

  void quadraticGradientMatchesCentralDifferences() {
    Draws draws({3});
    QuadraticNetwork network{draws.normalMatrix(4, 6), draws.normalVector(6), 0.3};
    const QuadraticPoints points(draws.normalMatrix(9, 4));
    const Eigen::VectorXd targets = draws.normalVector(9);
    const auto loss = [&] { return (points.outputs(network.form()) - targets).squaredNorm() / 9; };
    const QuadraticGradient gradient = gradientOf(
        network, points.weightedSquares(2.0 / 9 * (points.outputs(network.form()) - targets)));
    QVERIFY(gradientError(network.a, gradient.a, loss) < 1e-8);
    Eigen::MatrixXd b = network.b;
    const auto lossOfB = [&] {
      network.b = b;
      return loss();
    };
    QVERIFY(gradientError(b, gradient.b, lossOfB) < 1e-8);
  }

  void quadraticDescentFollowsTheGradient() {
    Draws draws({4});
    QuadraticNetwork network{draws.normalMatrix(3, 5), draws.normalVector(5), 2};
    const QuadraticNetwork before = network;
    const Eigen::MatrixXd half = draws.normalMatrix(3, 3);
    const Eigen::MatrixXd formGradient = half + half.transpose();
    network.descend(formGradient, 0.25);
    const QuadraticGradient gradient = gradientOf(before, formGradient);
    QVERIFY((network.a - (before.a - 0.25 * gradient.a)).norm() < 1e-13);
    QVERIFY((network.b - (before.b - 0.25 * gradient.b)).norm() < 1e-13);
  }

  void sensingStepFollowsTheGradient() {
    Draws draws({5});
    Layers layers = {draws.normalMatrix(4, 4), draws.normalMatrix(4, 4)};
    const Eigen::VectorXd a = draws.normalVector(4);
    const Eigen::VectorXd b = draws.normalVector(4);
    const auto loss = [&] {
      const double miss = 1.5 - a.dot(productOf(layers) * b);
      return miss * miss / 2;
    };
    SensingModel model{layers[0].cast<float>(), layers[1].cast<float>()};
    model.step(a.cast<float>(), b.cast<float>(), 1.5F, 0.125F);
    const Eigen::MatrixXd first = (layers[0] - model.first.cast<double>()) / 0.125;
    const Eigen::MatrixXd second = (layers[1] - model.second.cast<double>()) / 0.125;
    // Differences of floats near 1, divided by the rate.
    QVERIFY(gradientError(layers[0], first, loss) < 1e-5);
    QVERIFY(gradientError(layers[1], second, loss) < 1e-5);
  }

  void networkGradientMatchesCentralDifferences_data() {
    QTest::addColumn<bool>("isBatch");
    QTest::newRow("batch") << true;
    QTest::newRow("layer") << false;
  }

  void networkGradientMatchesCentralDifferences() {
    QFETCH(bool, isBatch);
    Draws draws({6});
    NormalizedNetwork<double> network(
        isBatch ? Normalization::batch : Normalization::layer, 5, 4, draws);
    QCOMPARE(network.parameters().size(), std::size_t(10));
    for (Eigen::MatrixXd& parameter : network.parameters()) {
      parameter += draws.normalMatrix(parameter.rows(), parameter.cols(), 0.2);
    }
    const Eigen::MatrixXd inputs = draws.normalMatrix(5, 7);
    const Eigen::MatrixXd weights = draws.normalMatrix(5, 7);
    const auto loss = [&] { return network.outputs(inputs).cwiseProduct(weights).sum(); };
    loss();
    const auto gradients = network.gradients(weights);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      // The second derivatives of normalised values are larger than those of the other models.
      QVERIFY(gradientError(network.parameters()[i], gradients[i], loss) < 1e-6);
    }
  }

  void optimizersTakeTheStepsOfTheirFormulas() {
    const Parameters gradients = {Eigen::MatrixXf::Constant(1, 1, 4)};
    Parameters byMomentum = {Eigen::MatrixXf::Zero(1, 1)};
    Momentum momentum(0.5);
    momentum.step(byMomentum, gradients);
    QCOMPARE(byMomentum[0](0), -2.0F);
    momentum.step(byMomentum, gradients);
    QCOMPARE(byMomentum[0](0), -2.0F - 0.5F * (0.9F * 4 + 4));
    Parameters byAdam = {Eigen::MatrixXf::Zero(1, 1)};
    Adam adam(0.5);
    adam.step(byAdam, gradients);
    QVERIFY(std::abs(byAdam[0](0) + 0.5F) < 1e-6F);
    // Mean (0.1 * 4 * 0.9 - 0.1 * 4) / 0.19, root of mean square 4.
    adam.step(byAdam, {Eigen::MatrixXf::Constant(1, 1, -4)});
    QVERIFY(std::abs(byAdam[0](0) + 0.5F - 0.5F * 0.04F / 4 / 0.19F) < 1e-5F);
  }

  void regularizerIsTheSumOfSquaredGradients() {
    Draws draws({8});
    const Layers layers = {
        draws.normalMatrix(3, 4), draws.normalMatrix(4, 5), draws.normalMatrix(5, 2)};
    const DeepLinearData data{draws.normalMatrix(3, 3), draws.normalMatrix(2, 2)};
    // All pairs of a row of X and a column of Y have the second moments X^T X and Y Y^T.
    double sum = 0;
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index j = 0; j < 2; ++j) {
        const Eigen::MatrixXd ofProduct = data.x.row(i).transpose() * data.y.col(j).transpose();
        for (const Eigen::MatrixXd& gradient : layerGradients(layers, ofProduct)) {
          sum += gradient.squaredNorm();
        }
      }
    }
    QVERIFY(std::abs(deepLinearRegularizer(layers, data) - sum) < 1e-12 * sum);
  }

  void constructionReachesTheBound_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("rank");
    for (const int count : {2, 3, 4, 7}) {
      for (const int rank : {1, 3}) QTest::addRow("%d, %d", count, rank) << count << rank;
    }
  }

  void constructionReachesTheBound() {
    QFETCH(int, count);
    QFETCH(int, rank);
    Draws draws({9, std::uint64_t(count), std::uint64_t(rank)});
    const Eigen::MatrixXd product = draws.normalMatrix(5, rank) * draws.normalMatrix(rank, 3);
    const DeepLinearData data{draws.normalMatrix(5, 5), draws.normalMatrix(3, 3)};
    const Layers least = leastFactorization(product, count, 4, data);
    QCOMPARE(least.size(), std::size_t(count));
    QVERIFY((productOf(least) - product).norm() < 1e-10 * product.norm());
    const double bound = regularizerBound(product, count, data);
    QVERIFY(std::abs(deepLinearRegularizer(least, data) / bound - 1) < 1e-10);
  }

  void randomLayersAreNeverBelowTheBound() {
    Draws draws({10});
    for (int i = 0; i < 2000; ++i) {
      const int count = 2 + i % 4;
      const int width = 1 + i % 3;  // One unit is the nearest to the bound.
      Layers layers;
      for (int l = 0; l < count; ++l) {
        layers.push_back(draws.normalMatrix(l == 0 ? 2 : width, l + 1 == count ? 2 : width));
      }
      const DeepLinearData data{draws.normalMatrix(2, 2), draws.normalMatrix(2, 2)};
      const double bound = regularizerBound(productOf(layers), count, data);
      QVERIFY(deepLinearRegularizer(layers, data) >= bound * (1 - 1e-12));
    }
  }
};

QTEST_GUILESS_MAIN(TestTheoryModels)
#include "tst_theory_models.moc"
