#pragma once

#include <ATen/autocast_mode.h>

#include "engine/values/run_config.h"

namespace lambda {

/// Computes in bfloat16 where LibTorch's autocast rules allow, for a scope on this thread. Does
/// nothing in float32.
class Autocast {
 public:
  Autocast(Precision precision, c10::DeviceType device)
      : device_(device),
        wasEnabled_(at::autocast::is_autocast_enabled(device)),
        oldType_(at::autocast::get_autocast_dtype(device)) {
    TORCH_CHECK(precision != Precision::automatic,
                "autocast: the precision is automatic; a ResolvedConfig has decided it");
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

}  // namespace lambda
