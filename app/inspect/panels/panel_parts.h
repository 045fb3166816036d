#pragma once

#include <QKeySequence>
#include <QString>

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/heatmaps/heatmap_data.h"

class QAction;
class QLabel;
class QWidget;

namespace lambda {

class HeatmapView;

// Small parts that the panels of the Inspect page share.

/// Stem of an exported file: "stage3.block2-lambda-total".
QString exportStem(const InspectionSnapshot& snapshot, const QString& what);

/// The caption of an exported figure: what it shows, of which layer, for which image, at which
/// step.
QString exportCaption(const InspectionSnapshot& snapshot, const QString& what);

/// A secondary label.
QLabel* makeNote(const QString& text = {});

/// The view with a small export button in the corner, beside its title.
QWidget* withExport(HeatmapView& view);

/// The symmetric limits that include the values of all arrays.
ColorRange commonRange(std::initializer_list<const Array*> arrays);

/// A lambda [k, v] with its axes.
HeatmapData lambdaData(const InspectionSnapshot& snapshot,
                       const Array& lambda,
                       const QString& part,
                       const QString& title);

/// Offsets around 0 where the embeddings are relative, else positions of the map.
HeatmapAxis offsetAxis(const InspectableLayer& layer, const QString& offset, std::int64_t size);

/// The position embeddings of all k u slots in their order as tiles: their change since the start
/// where that is known, otherwise as they are.
HeatmapData embeddingData(const InspectionSnapshot& snapshot);

/// Names of the k u slots: "k 3", or "k 3, u 1" where u is more than one.
QString slotName(const InspectableLayer& layer, int slot);

/// "Live weights", "Averaged weights" of a checkpoint, or its "Weights".
QString weightsText(InspectedWeights weights);

/// Why a panel has nothing to show for a layer without lambdas: "A self-attention layer has no
/// lambda ..."; empty for a lambda layer.
QString whyNoLambda(const InspectableLayer& layer);

/// The letters of a layer's equations with their sizes: "Here k = 16, v = 24, h = 4, u = 1; n and m
/// are 8 × 8 positions."
QString lettersOf(const InspectableLayer& layer);

/// An action with a key. The page that shows the panel adds it, so that the key works on the whole
/// page.
QAction* makePageAction(QObject& owner,
                        const QString& text,
                        const QKeySequence& key,
                        const QString& toolTip);

}  // namespace lambda
