#pragma once

class QFont;
class QWidget;

namespace lambda {

/// The one type scale, in pixels at scale 1: small 11, body 13, heading 15, title 22. Derived from
/// the application's font, so that they follow the chosen scale.
QFont smallFont();
QFont bodyFont();
QFont headingFont();
QFont titleFont();

/// For columns of numbers: all figures have one width.
QFont numberFont();

/// How much larger than at scale 1 text is: lengths that surround text are multiplied by it.
double textScale();

}  // namespace lambda
