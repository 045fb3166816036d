#pragma once

#include "app/inspect/modes/inspect_mode.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/work/work.h"

namespace lambda {

class ImagePredictions;
class CheckpointService;
class LayerPictures;
class PanelDeck;
class RunImages;
class SnapshotFeed;
class TrainingSession;

/// One image through the chosen weights, live or out of a checkpoint. Of a network without lambda
/// layers it shows the image and its prediction.
class ImageMode : public InspectMode {
  Q_OBJECT

 public:
  /// All outlive the mode.
  ImageMode(TrainingSession& training,
            CheckpointService& checkpoints,
            RunImages& images,
            ImagePredictions& predictions,
            PanelDeck& deck,
            QObject* parent = nullptr);

  const SnapshotFeed& feed() const { return *feed_; }

  Parts parts() override;
  void setSource(const InspectionSource& source) override;
  void begin(const InspectSelection& selection) override;
  void end() override;
  void show(const InspectSelection& selection) override;
  void setInView(bool isInView) override;
  QString status() const override;

 private:
  void takeSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void showSnapshot();
  void showPlainImage();
  void showFailure(const QString& reason);
  void nameMissingFile();
  void fetchLayerPictures();

  TrainingSession& training_;
  RunImages& images_;
  ImagePredictions& predictions_;
  PanelDeck& deck_;
  SnapshotFeed* feed_;
  LayerPictures* layerPictures_;
  InspectSelection selection_;
  Work missingFile_{*this};
  bool isShown_ = false;
  bool areLayerPicturesOld_ = true;  ///< They belong to another image or other weights.
};

}  // namespace lambda
