#pragma once

#include "engine/values/config/enum_names.h"
#include "engine/values/run/run_change.h"

namespace lambda {

enum class RequestKind { pause, resume, step, stop, change };

template <>
inline constexpr EnumNames<5> kNamesOf<RequestKind>{{"pause", "resume", "step", "stop", "change"}};

/// What somebody asks of a run that another process trains. It takes effect between two batches, as
/// RunControl says.
struct RunRequest {
  RequestKind kind = RequestKind::pause;
  ChangeRequest change = {};  ///< The settings to change, where the kind is `change`.

  bool operator==(const RunRequest&) const = default;
};

}  // namespace lambda
