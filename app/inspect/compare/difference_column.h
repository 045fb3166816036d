#pragma once

#include <array>

#include <QWidget>

#include "engine/values/inspection/contribution_maps.h"

class QLabel;

namespace lambda {

class CompareSide;
class HeatmapView;

/// The left side of a comparison minus its right side, where their shapes agree: the contributions,
/// the lambda of the query, and the position embeddings.
class DifferenceColumn : public QWidget {
  Q_OBJECT

 public:
  explicit DifferenceColumn(QWidget* parent = nullptr);

  /// The difference of what the sides show; empty until both show something.
  void show(CompareSide& left, CompareSide& right, ContributionKind quantity);

  /// Aligns each picture with the one of the same kind on that side.
  void alignWith(CompareSide& side);

  HeatmapView& map() { return *map_; }

  HeatmapView& lambda() { return *lambda_; }

  HeatmapView& embeddings() { return *embeddings_; }

 private:
  void showNothing(const QString& reason);
  void showMaps(CompareSide& left, CompareSide& right, ContributionKind quantity);
  void showLambdas(CompareSide& left, CompareSide& right);

  QWidget* header_;
  QLabel* note_;
  HeatmapView* map_;
  QWidget* gap_;  ///< Beside the words below the images.
  HeatmapView* lambda_;
  HeatmapView* embeddings_;
};

}  // namespace lambda
