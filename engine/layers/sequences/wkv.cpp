#include "engine/layers/sequences/wkv.h"

#include <limits>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/wkv/wkv_kernel.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kNothing = -std::numeric_limits<double>::infinity();

bool hasKernel(const at::Tensor& keys) {
  return keys.device().is_cpu() && keys.scalar_type() == at::kFloat && keys.numel() > 0;
}

WkvShape shapeOf(const at::Tensor& keys) {
  return {.batch = keys.size(0), .length = keys.size(1), .channels = keys.size(2)};
}

WkvOperands denseOperands(const WkvOperands& operands) {
  return {operands.keys.contiguous(),
          operands.values.contiguous(),
          operands.decay.contiguous(),
          operands.bonus.contiguous()};
}

WkvInputs inputsOf(const WkvOperands& operands) {
  return {operands.keys.const_data_ptr<float>(),
          operands.values.const_data_ptr<float>(),
          operands.decay.const_data_ptr<float>(),
          operands.bonus.const_data_ptr<float>()};
}

/// Only the operands and a state for each chunk are saved.
class Wkv : public torch::autograd::Function<Wkv> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& keys,
                            const at::Tensor& values,
                            const at::Tensor& decay,
                            const at::Tensor& bonus) {
    const WkvOperands operands = denseOperands({keys, values, decay, bonus});
    const WkvShape shape = shapeOf(operands.keys);
    const at::Tensor y = at::empty_like(operands.keys);
    const at::Tensor chunks =
        at::empty({shape.batch, shape.chunks(), kWkvStateRows, shape.channels}, y.options());
    wkvForward(shape,
               inputsOf(operands),
               {.chunks = chunks.mutable_data_ptr<float>()},
               y.mutable_data_ptr<float>(),
               onTorchThreads);
    context->save_for_backward(
        {operands.keys, operands.values, operands.decay, operands.bonus, chunks});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("wkv");
    const variable_list saved = context->get_saved_variables();
    const WkvOperands operands{saved[0], saved[1], saved[2], saved[3]};
    const at::Tensor& chunks = saved[4];
    const at::Tensor dy = outputs[0].contiguous();
    variable_list gradients;
    for (std::size_t i = 0; i < 4; ++i) gradients.push_back(at::empty_like(saved[i]));
    wkvBackward(shapeOf(operands.keys),
                inputsOf(operands),
                chunks.const_data_ptr<float>(),
                dy.const_data_ptr<float>(),
                {gradients[0].mutable_data_ptr<float>(),
                 gradients[1].mutable_data_ptr<float>(),
                 gradients[2].mutable_data_ptr<float>(),
                 gradients[3].mutable_data_ptr<float>()},
                onTorchThreads);
    return gradients;
  }
};

/// Sums N = num e^maximum and D = den e^maximum. The maximum is a constant to autograd where it
/// only scales, because N and D do not depend on it.
struct Sums {
  at::Tensor num, den, maximum;
};

/// The sum of two, scaled by the greater maximum.
Sums operator+(const Sums& a, const Sums& b) {
  const at::Tensor greater = at::maximum(a.maximum, b.maximum).detach();
  const at::Tensor ofA = at::exp(a.maximum - greater), ofB = at::exp(b.maximum - greater);
  return {ofA * a.num + ofB * b.num, ofA * a.den + ofB * b.den, greater};
}

/// The sums at each position replaced by those `count` positions before, and by nothing before the
/// first.
Sums later(const Sums& sums, std::int64_t count) {
  const auto shifted = [&](const at::Tensor& x, double first) {
    return at::constant_pad_nd(x.narrow(1, 0, x.size(1) - count), {0, 0, count, 0}, first);
  };
  return {shifted(sums.num, 0), shifted(sums.den, 0), shifted(sums.maximum, kNothing)};
}

Sums tokensAlone(const at::Tensor& keys, const at::Tensor& values) {
  return {values, at::ones_like(values), keys};
}

/// The sums over twice as many tokens in each round, so that rounds, not tokens, follow each other.
at::Tensor wkvByRounds(const WkvOperands& operands) {
  const at::Tensor rate = operands.decay.exp();
  Sums sums = tokensAlone(operands.keys, operands.values);
  for (std::int64_t count = 1; count < operands.keys.size(1); count *= 2) {
    Sums earlier = later(sums, count);
    earlier.maximum = earlier.maximum - rate * static_cast<double>(count);
    sums = sums + earlier;
  }
  const Sums seen = later(sums, 1) + tokensAlone(operands.keys + operands.bonus, operands.values);
  return seen.num / seen.den;
}

}  // namespace

at::Tensor wkv(const WkvOperands& operands) {
  if (!hasKernel(operands.keys)) return wkvByRounds(operands);
  return Wkv::apply(operands.keys, operands.values, operands.decay, operands.bonus);
}

at::Tensor emptyWkvSums(std::int64_t batch, std::int64_t depth, const at::TensorOptions& options) {
  at::Tensor sums = at::zeros({batch, kWkvStateRows, depth}, options);
  sums.select(1, 2).fill_(kNothing);
  return sums;
}

at::Tensor continueWkv(const WkvOperands& operands, at::Tensor& sums) {
  const at::NoGradGuard noGradients;
  at::Tensor y = at::empty_like(operands.keys, at::MemoryFormat::Contiguous);
  const at::Tensor after = at::empty_like(sums, at::MemoryFormat::Contiguous);
  if (hasKernel(operands.keys)) {
    const WkvOperands inputs = denseOperands(operands);
    const at::Tensor before = sums.contiguous();
    wkvForward(shapeOf(inputs.keys),
               inputsOf(inputs),
               {.before = before.const_data_ptr<float>(), .after = after.mutable_data_ptr<float>()},
               y.mutable_data_ptr<float>(),
               onTorchThreads);
    sums = after;
    return y;
  }
  const at::Tensor rate = operands.decay.exp();
  Sums past{sums.select(1, 0), sums.select(1, 1), sums.select(1, 2)};
  for (std::int64_t i = 0; i < operands.keys.size(1); ++i) {
    const at::Tensor key = operands.keys.select(1, i), value = operands.values.select(1, i);
    const Sums seen = past + tokensAlone(key + operands.bonus, value);
    y.select(1, i).copy_(seen.num / seen.den);
    past.maximum = past.maximum - rate;
    past = past + tokensAlone(key, value);
  }
  sums = at::stack({past.num, past.den, past.maximum}, 1);
  return y;
}

}  // namespace lambda
