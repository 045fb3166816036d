#pragma once

class QFont;
class QWidget;

namespace lambda {

/// The type scale, in pixels at scale 1: small 11, body 13, heading 15. The fonts derive
/// from the application's font, so that they follow the chosen scale.
QFont smallFont();
QFont bodyFont();
QFont headingFont();

/// A font for columns of numbers: all digits have one width.
QFont numberFont();

/// The factor of text sizes relative to scale 1: lengths that surround text are multiplied by it.
double textScale();

}  // namespace lambda
