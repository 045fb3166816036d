#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

namespace lambda::theory {

using Parameters = std::vector<Eigen::MatrixXf>;

/// Changes parameters by their gradients. Keeps its state in the order of the parameters.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step(Parameters& parameters, const Parameters& gradients) = 0;
};

/// Gradient descent with momentum 0.9, as torch.optim.SGD.
class Momentum : public Optimizer {
 public:
  explicit Momentum(double learningRate) : learningRate_(static_cast<float>(learningRate)) {}

  void step(Parameters& parameters, const Parameters& gradients) override {
    if (velocities_.empty()) {
      velocities_ = gradients;
    } else {
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        velocities_[i] = kMomentum * velocities_[i] + gradients[i];
      }
    }
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      parameters[i] -= learningRate_ * velocities_[i];
    }
  }

 private:
  static constexpr float kMomentum = 0.9F;
  float learningRate_;
  Parameters velocities_;
};

/// Adam (Kingma and Ba, ICLR 2015) with the constants of the paper.
class Adam : public Optimizer {
 public:
  explicit Adam(double learningRate) : learningRate_(learningRate) {}

  void step(Parameters& parameters, const Parameters& gradients) override {
    if (means_.empty()) {
      for (const Eigen::MatrixXf& gradient : gradients) {
        means_.push_back(Eigen::MatrixXf::Zero(gradient.rows(), gradient.cols()));
      }
      squares_ = means_;
    }
    ++steps_;
    const auto rate = static_cast<float>(learningRate_ / (1 - std::pow(kMeanDecay, steps_)));
    const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(kSquareDecay, steps_)));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const auto& gradient = gradients[i].array();
      means_[i].array() += static_cast<float>(1 - kMeanDecay) * (gradient - means_[i].array());
      squares_[i].array() +=
          static_cast<float>(1 - kSquareDecay) * (gradient.square() - squares_[i].array());
      parameters[i].array() -=
          rate * means_[i].array() / (root * squares_[i].array().sqrt() + kOffset);
    }
  }

 private:
  static constexpr double kMeanDecay = 0.9;
  static constexpr double kSquareDecay = 0.999;
  static constexpr float kOffset = 1e-8F;
  double learningRate_;
  int steps_ = 0;
  Parameters means_;
  Parameters squares_;
};

}  // namespace lambda::theory
