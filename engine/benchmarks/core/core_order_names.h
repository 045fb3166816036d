#pragma once

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/values/config/enum_names.h"

namespace lambda {

template <>
inline constexpr EnumNames<3> kNamesOf<CoreOrder>{{"automatic", "queriesFirst", "lambdasFirst"}};

}  // namespace lambda
