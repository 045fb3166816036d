#pragma once

#include <string_view>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// Sets one field of a run: "recipe.batchSize=64", "architecture.stages[1].blocks[*].mixer.k=8".
/// The value is JSON; texts and names may stand without quotes. "[*]" is every element: those with
/// mixers that lack the field are passed over. An object replaces the whole value, its missing keys
/// take their defaults. Only what runConfigFromJson() would read is accepted. Throws Error(path,
/// reason, hint), which lists what the path could have been, and leaves `config` as it was.
void applyOverride(RunConfig& config, std::string_view assignment);

/// Applies a problem's fix in the same way.
void applyFix(RunConfig& config, const Fix& fix);

}  // namespace lambda
