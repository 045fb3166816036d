#pragma once

#include <QString>

#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"

namespace lambda {

/// "8×8×256": height, width, channels.
QString mapShapeText(const MapShape& map);

/// "Input", "Stage 2", "Stage 2, block 3"
QString partTitle(const PartId& part);

/// `one` for 1, else `many` with the count for its %1.
QString countedText(int count, const QString& one, const QString& many);

/// "10 classes", "2 numbers"
QString outputsText(const Architecture& architecture);

/// "3×3", "7×7/2 + pool", "ResNet-D", "4×4 patches"
QString stemText(const Stem& stem);

/// "Mean, linear", the layers after the blocks.
QString headText(const Architecture& architecture);

/// Everything that a tooltip shows of a part, as rich text.
QString partToolTip(const Architecture& architecture,
                    const NetworkCosts& costs,
                    const PartId& part);

/// "28,800 parameters, 5,731,328 FLOPs, 164 kB of activations per image, gives 8×8×192"
QString spokenCost(const PartCost& cost);

/// The selection as text for screen readers: "3 blocks: stage 2, block 1 …".
QString selectionText(const Architecture& architecture, const Selection& selection);

}  // namespace lambda
