#pragma once

#include <QString>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// Whether the data of a run have no images of a split, as far as its record tells without reading
/// them.
bool isKnownToLack(const RunRecord& record, Split split);

/// "The data of this run have no test images."
QString lackingText(Split split);

}  // namespace lambda
