#include "widgets/plots/axis_text.h"

#include <cmath>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString valueText(double value, bool percent) {
  return percent ? accuracyText(value) : numberText(value, 4);
}

QString placeText(CurveAxis axis, double place) {
  switch (axis) {
    case CurveAxis::steps:
      return tr("step %1").arg(countText(std::llround(place)));
    case CurveAxis::epochs:
      return tr("epoch %1").arg(fixedText(place, 2));
    case CurveAxis::time:
      return clockText(place);
  }
  return {};
}

QString axisTitle(CurveAxis axis) {
  switch (axis) {
    case CurveAxis::steps:
      return tr("Step");
    case CurveAxis::epochs:
      return tr("Epoch");
    case CurveAxis::time:
      return tr("Training time");
  }
  return {};
}

}  // namespace lambda
