#pragma once

#include <variant>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The options of a run on shapes10; throws std::bad_variant_access for another data set.
inline Shapes10Source& shapes10Of(RunConfig& config) {
  return std::get<Shapes10Source>(config.data.source);
}

}  // namespace lambda
