#include "engine/training/update/muon/muon_filters.h"

#include <variant>

#include "engine/training/update/backends/sent_bytes.h"
#include "engine/training/update/muon/muon.h"

namespace lambda {

void MuonFilters::add(const at::Tensor& filters, const at::Tensor& momentum) {
  if (!rate_.defined()) rate_ = at::empty({1}, filters.options().dtype(at::kFloat));
  filters_.push_back({filters.detach(), momentum});
}

void MuonFilters::sendRate(double learningRate) {
  if (areNone()) return;
  const double share = config_.learningRate > 0 ? learningRate / config_.learningRate : 0;
  const double peak = std::get<Muon>(config_.kind).muonLearningRate;
  const auto rate = static_cast<float>(peak * share * config_.rateFactors.filter);
  sendBytes(&rate, sizeof rate, rate_.view(at::kByte));
}

void MuonFilters::update(const std::vector<at::Tensor>& gradients,
                         const at::Tensor& gradientScale,
                         const at::Tensor& moves) const {
  if (areNone()) return;
  const auto& muon = std::get<Muon>(config_.kind);
  const MuonStep step{rate_, muon.momentum, muon.nesterov, gradientScale, moves};
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (!gradients[i].defined()) continue;
    updateByMuon(step, filters_[i].weights, gradients[i].to(at::kFloat), filters_[i].momentum);
  }
}

}  // namespace lambda
