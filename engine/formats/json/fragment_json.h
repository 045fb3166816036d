#pragma once

#include <string>
#include <string_view>

#include "engine/values/architecture/network_fragment.h"

namespace lambda {

// Parts of a network as JSON, under the rules of config_json.h: {"schema": 3, "networkParts":
// {"stages": [...], "blocks": [...]}}.

std::string toJson(const NetworkFragment& fragment);

/// Whether a text claims to be such a document, whether or not it is sound.
bool claimsToBeFragment(std::string_view text);

/// `source` names the text in errors. Throws Error also for parts that are empty.
NetworkFragment fragmentFromJson(std::string_view text, const std::string& source);

}  // namespace lambda
