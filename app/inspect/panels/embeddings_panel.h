#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "engine/values/inspection.h"
#include "widgets/pictures/explanation.h"
#include "widgets/pictures/principal_patterns.h"

class QCheckBox;

namespace lambda {

class HeatmapView;
class Segmented;

/// The learned position embeddings of a layer: a tile for each of the k u slots over the offsets
/// m - n, as they are or as change since the start, and the few patterns that they are made of.
class EmbeddingsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EmbeddingsPanel(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  /// A scale from outside; nothing = of the values shown.
  void setScale(std::optional<double> greatest);

  HeatmapView& tiles() { return *tiles_; }

  HeatmapView& patterns() { return *patterns_; }

  /// True: now minus at the start.
  bool showsChange() const;
  void setShowsChange(bool change);
  void setSorted(bool sorted);

  ExplanationText explanation() const;

 private:
  void updateViews();
  void updatePatterns(const Array& shown);
  const Array& source() const;

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  std::optional<double> scale_;
  Array analysed_;  ///< What found_ was computed from.
  PrincipalPatterns found_;
  Segmented* kind_;
  QCheckBox* sorted_;
  QCheckBox* perTile_;
  HeatmapView* tiles_;
  HeatmapView* patterns_;
};

}  // namespace lambda
