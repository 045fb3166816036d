#pragma once

#include <QString>
#include <QStringList>

#include "widgets/network/parts/network_parts.h"

namespace lambda {

/// How the options that a block got differ from those that it was to have, both of one kind:
/// "Stage 2, block 1: heads h 3 instead of 4". Empty where they are equal.
QString fittingText(const PartId& block, const Mixer& wanted, const Mixer& fitted);

/// One sentence of several such texts.
QString fittingNotice(const QStringList& texts);

}  // namespace lambda
