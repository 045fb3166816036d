#pragma once

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/values/config/enum_names.h"

namespace lambda {

template <>
struct EnumNames<CoreOrder> {
  static constexpr std::array<std::string_view, 3> names{
      "automatic", "queriesFirst", "lambdasFirst"};
};

}  // namespace lambda
