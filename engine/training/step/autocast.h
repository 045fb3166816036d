#pragma once

#include <ATen/autocast_mode.h>

#include "engine/values/config/run_config.h"

namespace lambda {

/// Makes this thread compute in bfloat16 within a scope, wherever LibTorch's autocast rules allow.
/// Does nothing in float32. Throws c10::Error for Precision::automatic.
class Autocast {
 public:
  Autocast(Precision precision, c10::DeviceType device)
      : device_(device),
        wasEnabled_(at::autocast::is_autocast_enabled(device)),
        oldType_(at::autocast::get_autocast_dtype(device)) {
    TORCH_CHECK(precision != Precision::automatic,
                "autocast: the precision is still automatic; take it from a ResolvedConfig");
    if (precision != Precision::bfloat16) return;
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::increment_nesting();
    active_ = true;
  }

  ~Autocast() {
    if (!active_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, wasEnabled_);
    at::autocast::set_autocast_dtype(device_, oldType_);
  }

  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool wasEnabled_;
  at::ScalarType oldType_;
  bool active_ = false;
};

/// Keeps the weights that Autocast casts for its own scopes within this one, so that each is cast
/// once. They must not change meanwhile.
class CastWeights {
 public:
  CastWeights() { at::autocast::increment_nesting(); }

  ~CastWeights() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  }

  CastWeights(const CastWeights&) = delete;
  CastWeights& operator=(const CastWeights&) = delete;
};

}  // namespace lambda
