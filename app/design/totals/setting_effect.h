#pragma once

#include <QString>

#include "widgets/forms/field_rows.h"
#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"

namespace lambda {

/// Says what other values of a setting would cost in this network by the cost model: "With 32: +18
/// k parameters, +2.1 M FLOPs and +49 kB of activations per image." The text is empty for settings
/// that are texts.
QString effectOf(const Architecture& architecture,
                 const NetworkCosts& costs,
                 const Selection& selection,
                 const FieldRow& row,
                 const MixerMemory& memory);

}  // namespace lambda
