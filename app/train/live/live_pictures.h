#pragma once

#include <memory>

#include <QWidget>

#include "app/train/live/layer_picture.h"
#include "engine/values/inspection.h"

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

  /// Null = nothing to be seen.
  void setPicture(std::shared_ptr<const LayerPicture> picture);

  /// What the explanations take their numbers from; null = none. A matrix that is wide is shown
  /// whole until somebody chooses otherwise.
  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  LambdaPart part() const;

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  void partChanged(lambda::LambdaPart part);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateSizes();
  void makeLambda();
  void makePositions();
  void setPart(LambdaPart part);
  void showPicture();

  std::shared_ptr<const LayerPicture> picture_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  bool isPartChosen_ = false;  ///< By a person.

  QVBoxLayout* column_;
  QButtonGroup* parts_;
  HeatmapView* lambda_;
  QButtonGroup* embeddings_;
  HeatmapView* tiles_;
};

}  // namespace lambda
