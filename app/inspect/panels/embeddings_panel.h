#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/explanation.h"
#include "widgets/pictures/principal_patterns.h"

class QCheckBox;

namespace lambda {

class HeatmapView;
class Segmented;

/// The learned position embeddings of a layer: a tile for each of the k u slots over the offsets m
/// - n, as they are or as change since the start, and their strongest patterns.
class EmbeddingsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EmbeddingsPanel(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  /// Sets the scale; none = that of the shown values.
  void setScale(std::optional<double> greatest);

  HeatmapView& tiles() { return *tiles_; }

  HeatmapView& patterns() { return *patterns_; }

  /// True: the current embeddings minus those at the start.
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
  Array analysed_;  ///< The array from which found_ was computed.
  PrincipalPatterns found_;
  Segmented* kind_;
  QCheckBox* sorted_;
  QCheckBox* perTile_;
  HeatmapView* tiles_;
  HeatmapView* patterns_;
};

}  // namespace lambda
