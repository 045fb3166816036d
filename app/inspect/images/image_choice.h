#pragma once

#include <QObject>

#include "app/inspect/feed/image_predictions.h"
#include "app/inspect/feed/inspection_source.h"
#include "app/inspect/feed/run_images.h"
#include "app/inspect/inspect_selection.h"
#include "widgets/work/work.h"

namespace lambda {

class ImagePicker;

/// The image part of a selection: the images of the run, the predictions for them, the picker that
/// shows both, and a person's own picture.
class ImageChoice : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  ImageChoice(CheckpointService& checkpoints,
              InspectSelection& selection,
              QObject* parent = nullptr);

  RunImages& images() { return *images_; }

  ImagePredictions& predictions() { return *predictions_; }

  /// Belongs to the page that shows it.
  ImagePicker& picker() { return *picker_; }

  /// Other weights: they have other predictions, and the image changes with the data.
  void setSource(const InspectionSource& source);

  /// The same weights, with another record of their run.
  void updateRecord(const InspectionSource& source);

  void chooseImage(int image);
  void chooseSplit(Split split);

  /// Takes the middle of a picture file, scaled to the network's input.
  void openPicture(const QString& path);

  /// Whether the chosen image can be inspected. Where it is not known yet if the data have the
  /// chosen split at all, chosen() follows.
  bool isReady() const { return !isAwaited_; }

  /// Classifies all images of the split, where the weights are a checkpoint.
  void predict();

 Q_SIGNALS:
  /// The selection has changed.
  void chosen();
  void told(const QString& text, bool isProblem);
  /// Another split than the chosen one is shown, and why.
  void noted(const QString& text);
  /// The text of noted() is about other data than the present ones.
  void withdrawn(const QString& text);

 private:
  void setSubject();
  void showImages();
  void awaitSplit();
  void takeImages(Split split, std::size_t count);
  const MapShape& inputShape() const;

  InspectSelection& selection_;
  InspectionSource source_;
  Split wanted_ = Split::validation;  ///< As a person chose it; the data may lack it.
  QString note_;                      ///< About the present data.
  bool isAwaited_ = false;  ///< The chosen split of the data is being read for the first time.
  RunImages* images_;
  ImagePredictions* predictions_;
  ImagePicker* picker_;
  Work reading_{*this};
};

}  // namespace lambda
