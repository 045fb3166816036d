#include "engine/networks/inspection/first_nonfinite.h"

#include <ATen/Context.h>

namespace lambda {

namespace {

/// Records the first layer whose output is not finite.
class FiniteTrace : public ForwardTrace {
 public:
  void visit(const std::string& layer, const at::Tensor&, const at::Tensor& output) override {
    if (found) return;
    const std::string finding = nonFiniteText(output, "output values");
    if (!finding.empty()) found = NonFinite{layer, finding};
  }

  std::optional<NonFinite> found;
};

/// Restores running statistics and the state of the random number generator at the end of a scope,
/// because a forward pass in training mode changes both.
class StateKeeper {
 public:
  StateKeeper(const Network& network, const at::Device& device)
      : buffers_(network->buffers()),
        generator_(network->random() ? *network->random()
                                     : at::globalContext().defaultGenerator(device)) {
    for (const at::Tensor& buffer : buffers_) copies_.push_back(buffer.clone());
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    generatorState_ = generator_.get_state();
  }

  ~StateKeeper() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(copies_[i]);
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    generator_.set_state(generatorState_);
  }

  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> copies_;
  at::Generator generator_;
  at::Tensor generatorState_;
};

/// The layer of a parameter: "stage2.block1.mixer" for "stage2.block1.mixer.layer.queries.weight".
std::string layerOf(const std::string& parameter) {
  const std::size_t depth = parameter.rfind("stage", 0) == 0 ? 3 : 1;
  std::size_t end = 0;
  for (std::size_t dot = 0; dot < depth && end != std::string::npos; ++dot) {
    end = parameter.find('.', end + (dot > 0 ? 1 : 0));
  }
  return parameter.substr(0, end);
}

}  // namespace

std::string nonFiniteText(const at::Tensor& tensor, const std::string& what) {
  if (!at::isFloatingType(tensor.scalar_type())) return {};
  const auto finite = tensor.isfinite().sum().item<std::int64_t>();
  if (finite == tensor.numel()) return {};
  return std::to_string(tensor.numel() - finite) + " of " + std::to_string(tensor.numel()) + " " +
         what + " are not finite";
}

std::optional<NonFinite> firstNonFiniteState(const Network& network) {
  const at::NoGradGuard noGradient;
  const auto search = [](const auto& tensors) -> std::optional<NonFinite> {
    for (const auto& each : tensors) {
      const std::string finding = nonFiniteText(each.value(), "values of " + each.key());
      if (!finding.empty()) return NonFinite{layerOf(each.key()), finding};
    }
    return std::nullopt;
  };
  if (const std::optional<NonFinite> found = search(network->named_parameters())) return found;
  return search(network->named_buffers());
}

std::optional<NonFinite> firstNonFinite(Network& network, const at::Tensor& batch) {
  const at::NoGradGuard noGradient;
  const std::string images = nonFiniteText(batch, "image values");
  if (!images.empty()) return NonFinite{"images", images};

  FiniteTrace trace;
  {
    const StateKeeper keeper(network, batch.device());
    network->forward(batch.to(network->parameters().front().scalar_type()), &trace);
  }
  const auto parameters = network->named_parameters();
  for (const auto& parameter : parameters) {
    const std::string finding = nonFiniteText(parameter.value(), "values of " + parameter.key());
    if (finding.empty()) continue;
    if (!trace.found) return NonFinite{layerOf(parameter.key()), finding};
    if (trace.found->layer == layerOf(parameter.key())) {
      trace.found->what += "; " + finding;
      return trace.found;
    }
  }
  if (trace.found) return trace.found;
  for (const auto& parameter : parameters) {
    if (!parameter.value().grad().defined()) continue;
    const std::string finding =
        nonFiniteText(parameter.value().grad(), "gradients of " + parameter.key());
    if (!finding.empty()) return NonFinite{layerOf(parameter.key()), finding};
  }
  return std::nullopt;
}

}  // namespace lambda
