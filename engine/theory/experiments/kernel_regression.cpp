#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

#include "engine/theory/experiment.h"

namespace lambda::theory {

namespace {

using Real = long double;
#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;  // Has 113 bits where there is no __float128.
#endif
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

RealVector sineOf(const RealVector& x) {
  return (2 * std::numbers::pi_v<Real> * x.array()).sin();
}

/// The features (x / scale)^p, p = 0 .. count - 1. x [n], result [n, count].
RealMatrix polynomialFeatures(const RealVector& x, int count, Real scale) {
  RealMatrix features(x.size(), count);
  features.col(0).setOnes();
  for (int p = 1; p < count; ++p) {
    features.col(p) = features.col(p - 1).cwiseProduct(x) / scale;
  }
  return features;
}

/// exp(-|x - z|^2 / width^2). x [n], z [m], result [n, m].
RealMatrix gaussianKernel(const RealVector& x, const RealVector& z, Real width) {
  const RealMatrix difference = x.replicate(1, z.size()) - z.transpose().replicate(x.size(), 1);
  return (-(difference / width).array().square()).exp();
}

/// The prediction of a kernel method: alpha^T k(x, z) with k(x, x) alpha = y.
/// atPoints = k(x, x) [n, n], between = k(x, z) [n, m], y [n]; result [m].
RealVector kernelPrediction(const RealMatrix& atPoints,
                            const RealMatrix& between,
                            const RealVector& y) {
  return between.transpose() * atPoints.ldlt().solve(y);
}

Quad innerProduct(const RealMatrix& a, Eigen::Index i, const RealMatrix& b, Eigen::Index j) {
  Quad sum = 0;
  for (Eigen::Index p = 0; p < a.cols(); ++p) sum += Quad(a(i, p)) * Quad(b(j, p));
  return sum;
}

/// Solves `matrix` alpha = y in place by elimination, `y` becomes alpha. The matrix is symmetric
/// and positive definite, so no row has to be exchanged.
void eliminate(std::vector<std::vector<Quad>>& matrix, std::vector<Quad>& y) {
  const std::size_t n = y.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const Quad factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
      y[i] -= factor * y[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) y[k] -= matrix[k][j] * y[j];
    y[k] /= matrix[k][k];
  }
}

/// The prediction of the kernel method whose kernel is the inner product of features. The condition
/// number of its matrix is near 4e12 at the defaults and alpha near 3e9, so even a long double
/// would keep no more than nine digits of the prediction; this computes with 113 bits.
/// features [n, p], atZ [m, p], y [n]; result [m].
RealVector featureKernelPrediction(const RealMatrix& features,
                                   const RealMatrix& atZ,
                                   const RealVector& y) {
  std::vector<Quad> alpha(y.begin(), y.end());
  std::vector matrix(alpha.size(), std::vector<Quad>(alpha.size()));
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      matrix[i][j] = innerProduct(features, Eigen::Index(i), features, Eigen::Index(j));
    }
  }
  eliminate(matrix, alpha);
  RealVector prediction(atZ.rows());
  for (Eigen::Index j = 0; j < atZ.rows(); ++j) {
    Quad sum = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      sum += alpha[i] * innerProduct(features, Eigen::Index(i), atZ, j);
    }
    prediction[j] = static_cast<Real>(sum);
  }
  return prediction;
}

/// The prediction of the solution of `features` beta = y with the least norm. From the QR
/// decomposition of the transposed features, whose condition number is the root of that of
/// features features^T. features [n, p] of rank n, atZ [m, p], y [n]; result [m].
RealVector minimumNormPrediction(const RealMatrix& features,
                                 const RealMatrix& atZ,
                                 const RealVector& y) {
  const Eigen::Index n = features.rows();
  const Eigen::HouseholderQR<RealMatrix> qr(features.transpose());
  const RealMatrix q = qr.householderQ() * RealMatrix::Identity(features.cols(), n);
  const RealMatrix r = qr.matrixQR().topRows(n).template triangularView<Eigen::Upper>();
  return atZ * (q * r.transpose().template triangularView<Eigen::Lower>().solve(y));
}

TheorySeries seriesOf(const char* name, const RealVector& x, const RealVector& y) {
  return {name, {x.begin(), x.end()}, {y.begin(), y.end()}};
}

double largest(const RealVector& differences) {
  return static_cast<double>(differences.cwiseAbs().maxCoeff());
}

}  // namespace

/// Two predictions of a sine from a few of its points, and a third one that is the second in
/// another form.
TheoryResult runKernelRegression(const Settings& settings, Progress& progress) {
  progress.report(0, [] { return TheoryResult{}; });
  const RealVector x = RealVector::LinSpaced(settings.whole("points"), 0, 1);
  const RealVector z = RealVector::LinSpaced(settings.whole("predictions"), 0, 1);
  const RealVector y = sineOf(x);
  const int count = settings.whole("features");
  const Real scale = settings.real("scale");
  const Real width = settings.real("width");
  const RealMatrix features = polynomialFeatures(x, count, scale);
  const RealMatrix featuresAtZ = polynomialFeatures(z, count, scale);

  const RealVector gaussian =
      kernelPrediction(gaussianKernel(x, x, width), gaussianKernel(x, z, width), y);
  const RealVector regression = minimumNormPrediction(features, featuresAtZ, y);
  const RealVector ofFeatures = featureKernelPrediction(features, featuresAtZ, y);

  TheorySeries data = seriesOf("data points", x, y);
  data.arePoints = true;
  return {
      {{"Predictions of sin(2 pi x)",
        "x",
        "prediction",
        false,
        false,
        {data,
         seriesOf("Gaussian kernel", z, gaussian),
         seriesOf("minimum-norm regression", z, regression),
         seriesOf("kernel of the features", z, ofFeatures),
         seriesOf("sin(2 pi x)", z, sineOf(z))}}},
      {{.title = "Largest error of the Gaussian kernel", .value = largest(gaussian - sineOf(z))},
       {.title = "Largest error of the regression", .value = largest(regression - sineOf(z))},
       {.title = "Largest difference between the kernel of the features and the regression",
        .value = largest(ofFeatures - regression),
        .published = 0,
        .publishedText = "exactly the same prediction"}},
  };
}

}  // namespace lambda::theory
