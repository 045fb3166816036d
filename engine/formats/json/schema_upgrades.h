#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lambda {

/// Changes a parsed document of an older schema so that it means the same in the present one. A
/// network may stand anywhere in it: in a run, a queue or a checkpoint's header.
void upgradeDocument(nlohmann::json& document, int schema);

}  // namespace lambda
