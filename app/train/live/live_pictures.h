#pragma once

#include <memory>

#include <QWidget>

#include "app/train/live/layer_picture.h"
#include "engine/values/inspection/inspection.h"

class QButtonGroup;
class QSettings;
class QVBoxLayout;

namespace lambda {

class HeatmapView;

/// The pictures of one lambda layer at one step: its lambda matrix, whole or in parts, and its
/// position embeddings, as they are or as they have changed.
class LivePictures : public QWidget {
  Q_OBJECT

 public:
  explicit LivePictures(QWidget* parent = nullptr);

  /// Sets the picture; null = none.
  void setPicture(std::shared_ptr<const LayerPicture> picture);

  /// Sets the source of the explanations' numbers; null = none. For a wide matrix only the total is
  /// shown until somebody chooses otherwise.
  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  LambdaPart part() const;

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  void partChanged(lambda::LambdaPart part);

 private:
  void updateSizes();
  void makeLambda();
  void makePositions();
  void setPart(LambdaPart part);
  void showPicture();

  std::shared_ptr<const LayerPicture> picture_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  bool isPartChosen_ = false;  ///< A person has chosen the part.

  QVBoxLayout* column_;
  QButtonGroup* parts_;
  HeatmapView* lambda_;
  QButtonGroup* embeddings_;
  HeatmapView* tiles_;
};

}  // namespace lambda
