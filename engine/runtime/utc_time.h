#pragma once

#include <string>

namespace lambda {

/// The current time in UTC, ISO 8601, for example "2026-11-20T22:48:00Z".
std::string utcTime();

}  // namespace lambda
