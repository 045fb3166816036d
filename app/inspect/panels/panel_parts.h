#pragma once

#include <QString>

#include "engine/values/inspection.h"
#include "widgets/pictures/heatmap_data.h"

class QHBoxLayout;
class QLabel;
class QWidget;

namespace lambda {

class HeatmapView;

// Small things that the panels of the Inspect page share.

/// Stem of an exported file: "stage3.block2-lambda-total".
QString exportStem(const InspectionSnapshot& snapshot, const QString& what);

/// A secondary label.
QLabel* makeNote(const QString& text = {});

/// The view with a small export button in the corner, beside its title.
QWidget* withExport(HeatmapView& view);

/// The symmetric limits that hold for all of these.
ColorRange commonRange(std::initializer_list<const Array*> arrays);

/// A lambda [k, v] with its axes.
HeatmapData lambdaData(const InspectionSnapshot& snapshot,
                       const Array& lambda,
                       const QString& part,
                       const QString& title);

/// Names of the k u slots: "k 3", or "k 3, u 1" where u is more than one.
QString slotName(const InspectableLayer& layer, int slot);

/// "cat", or "class 3" where the classes have no names.
QString className(const InspectionSnapshot& snapshot, int label);

}  // namespace lambda
