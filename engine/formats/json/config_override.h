#pragma once

#include <string_view>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// Sets one field of a run: "recipe.batchSize=64", "architecture.stages[1].blocks[*].mixer.k=8".
/// The value is JSON; texts and names need no quotes. "[*]" means every element; elements whose
/// mixer lacks the field are skipped. An object replaces the whole value, and its missing keys take
/// their defaults. Only values that runConfigFromJson() accepts are allowed. Throws Error(path,
/// reason, hint), where the hint lists the possible paths, and leaves `config` unchanged.
void applyOverride(RunConfig& config, std::string_view assignment);

/// Applies a problem's fix in the same way.
void applyFix(RunConfig& config, const Fix& fix);

}  // namespace lambda
