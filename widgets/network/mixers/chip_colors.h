#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

/// A chip on that ground of the light or the dark set, with black or white text, whichever can be
/// read better. The grounds of all kinds differ for colour-blind people too; a test compares them.
MixerColors chipColors(const Colors& colors, QRgb light, QRgb dark);

}  // namespace lambda
