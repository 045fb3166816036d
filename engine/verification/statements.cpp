#include "engine/verification/statements.h"

#include <cmath>
#include <exception>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/batchnorm.h>

#include "engine/runtime/borrowed_generator.h"
#include "engine/verification/verification.h"

namespace lambda {

namespace {

constexpr std::uint64_t kSeed = 2102;
constexpr double kFloat64 = 1e-12;
/// Float32 has 24 bits, and a sum over a context loses a few of them.
constexpr double kFloat32 = 2e-5;

}  // namespace

Trial::Trial(std::uint64_t seed, Disturbance disturbance)
    : random_(at::make_generator<at::CPUGeneratorImpl>(seed)),
      disturbance_(std::move(disturbance)) {}

at::Tensor Trial::normal(at::IntArrayRef sizes) {
  return at::randn(sizes, random_, at::TensorOptions(at::kDouble));
}

void Trial::prepare(torch::nn::Module& layer) {
  layer.to(at::kDouble);
  layer.eval();
  for (const auto& module : layer.modules()) {
    const auto* norm = module->as<torch::nn::BatchNorm2d>();
    if (norm) norm->weight.set_data(normal(norm->weight.sizes()) + 2);
  }
}

void Trial::compare(const at::Tensor& side, const at::Tensor& other) {
  const double difference = (side - other).abs().max().item<double>();
  const double size = other.abs().max().item<double>();
  count(size > 0 ? difference / size : difference);
}

void Trial::count(double residual) {
  if (std::isnan(residual_)) return;
  if (!(residual <= residual_)) residual_ = residual;
}

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all{
      {"linear-attention",
       "Linear attention is a content-only multi-head lambda layer with softmax on queries and "
       "keys.",
       "LambdaNetworks, appendix C.3; Shen et al., 2018",
       kFloat64,
       compareLinearAttention},
      {"multi-head",
       "A multi-head layer whose heads have equal keys, values and embeddings is multi-query.",
       "LambdaNetworks, appendix B.3",
       kFloat64,
       compareMultiHead},
      {"channel-attention",
       "Squeeze-and-excitation applies one diagonal lambda to every position.",
       "LambdaNetworks, appendix C.4",
       kFloat64,
       compareChannelAttention},
      {"spatial-attention",
       "Spatial attention applies a scalar lambda to each position.",
       "LambdaNetworks, appendix C.4",
       kFloat64,
       compareSpatialAttention},
      {"lambda-convolution",
       "A lambda convolution equals the dense layer with the embeddings outside the window at 0.",
       "LambdaNetworks, section 3.4 and appendix B.1",
       kFloat64,
       compareLambdaConvolution},
      {"contraction-orders",
       "The values may be contracted first, as lambdas, or the queries, as contributions.",
       "LambdaNetworks, equations 1 and 2",
       kFloat64,
       compareContractionOrders},
      {"fused-kernels",
       "The fused kernels give what the plain operations give, in float32 and both orders.",
       "engine/kernels/lambda_core",
       kFloat32,
       compareFusedKernels},
      {"contributions",
       "The contributions of all positions add up to the layer's output.",
       "LambdaNetworks, equation 2",
       kFloat64,
       compareContributions},
      {"shifts",
       "With relative embeddings, a shift of the input within the map shifts the output.",
       "LambdaNetworks, section 3.3",
       kFloat64,
       compareShifts},
      {"batch-orders",
       "In evaluation, a permutation of a batch permutes the output, with every kind of mixer.",
       "Definition of evaluation mode",
       kFloat64,
       compareBatchOrders}};
  return all;
}

StatementResult check(const Statement& statement, Trial::Disturbance disturbance) {
  StatementResult result;
  result.name = statement.name;
  result.statement = statement.text;
  result.source = statement.source;
  result.limit = statement.limit;
  // Layers draw their initial weights from it.
  BorrowedGenerator generator;
  generator.seed(kSeed);
  const at::NoGradGuard noGradient;
  Trial trial(kSeed, std::move(disturbance));
  try {
    statement.compare(trial);
    result.residual = trial.residual();
  } catch (const c10::Error& error) {
    result.failure = error.what_without_backtrace();
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

bool verifyStatements(const StatementReport& report) {
  bool allHold = true;
  for (const Statement& statement : statements()) {
    const StatementResult result = check(statement);
    allHold = allHold && result.holds();
    if (!report(result, static_cast<int>(statements().size()))) break;
  }
  return allHold;
}

}  // namespace lambda
