#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/explanation.h"

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

  /// Sets the scales of the embeddings and of their change; none = that of the shown values.
  void setScales(std::optional<double> greatest, std::optional<double> greatestChange);

  HeatmapView& tiles() { return *tiles_; }

  HeatmapView& patterns() { return *patterns_; }

  /// Whether the current embeddings minus those at the start are shown: the first choice, where the
  /// start is known.
  bool showsChange() const;
  void setShowsChange(bool change);
  void setSorted(bool sorted);

  ExplanationText explanation() const;

 private:
  void updateViews();
  void updatePatterns();
  bool knowsChange() const;
  const Array& source() const;
  const PrincipalPatterns& foundPatterns() const;

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  std::optional<double> scale_;
  std::optional<double> changeScale_;
  bool prefersChange_ = true;
  Segmented* kind_;
  QCheckBox* sorted_;
  QCheckBox* perTile_;
  HeatmapView* tiles_;
  HeatmapView* patterns_;
};

}  // namespace lambda
