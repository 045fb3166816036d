#pragma once

#include "engine/values/config/run_config.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda::test {

/// A plausible inspection of the requested layer: "In the beginning God created the heaven and the
/// earth", or the tokens of the request, with weights that fall with the distance. Throws Error as
/// the engine for fewer than two tokens.
TokenSnapshot exampleTokens(const RunConfig& config,
                            const TokenInspectionRequest& request,
                            std::int64_t step,
                            int epoch);

/// The configuration of a network of bytes with two blocks of that mixer, as in a run on a text.
RunConfig textRun(const Mixer& mixer);

}  // namespace lambda::test
