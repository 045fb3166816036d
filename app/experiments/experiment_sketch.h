#pragma once

#include <QPixmap>

class QWidget;

namespace lambda {

/// The kind of picture that answers an experiment.
enum class SketchKind {
  effects,  ///< Named variants below each other.
  sweep,    ///< Values of one field along an axis.
  heatMap,  ///< Those of two fields.
  theory,
};

/// A small drawing of such a picture in the colours of a widget.
QPixmap sketchOf(SketchKind kind, const QWidget& widget);

}  // namespace lambda
