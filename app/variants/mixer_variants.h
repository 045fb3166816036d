#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/values/config/run_config.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// Blocks of a network whose mixers can be replaced together.
struct ReplaceableMixers {
  QString text;  ///< "All 4 lambda layers"
  Selection blocks;
};

/// Those of each kind that the network has, and all together where there are several kinds; lambda
/// layers come first.
std::vector<ReplaceableMixers> replaceableMixers(const Architecture& architecture);

/// The run with that kind of mixer in these blocks, with options that fit, named after the original
/// run: "cpu-hybrid with self-attention layers". Everything else is equal.
RunConfig withMixers(const RunConfig& config,
                     const std::string& name,
                     const Selection& blocks,
                     std::size_t kind);

}  // namespace lambda
