#pragma once

#include <optional>
#include <string_view>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// The field at a path of a run, such as "recipe.optimizer.momentum" or
/// "architecture.stages[*].blocks[0].mixer.kind", whatever the kinds of the values on the way; none
/// for an unknown path.
std::optional<Field> fieldAt(std::string_view path);

/// Whether a training step of both takes the same time on a machine: they differ at most in fields
/// that do not change the speed.
bool isEquallyFast(const RunConfig& a, const RunConfig& b);

}  // namespace lambda
