#include "widgets/network/mixers/chip_colors.h"

namespace lambda {

namespace {

/// Grounds of a greater luma have dark text.
constexpr int kBrightest = 125;

}  // namespace

MixerColors chipColors(const Colors& colors, QRgb light, QRgb dark) {
  const QColor ground(colors.dark ? dark : light);
  const bool isBright = qGray(ground.rgb()) > kBrightest;
  return {ground, isBright ? QColor(0x141414) : QColor(Qt::white), ground};
}

}  // namespace lambda
