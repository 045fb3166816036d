#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <QWidget>

#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"
#include "widgets/pictures/images/image_grid.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace lambda {

/// Which predictions an image picker shows.
enum class PredictionFilter { all, wrong, right };

/// Chooses an image of a run's data: by class, by wrong prediction, at random, in sequence, by its
/// number, or a person's own picture.
class ImagePicker : public QWidget {
  Q_OBJECT

 public:
  explicit ImagePicker(QWidget* parent = nullptr);

  /// Buttons for what the page does with the images; a null pointer is a gap.
  void addButtons(const QList<QAction*>& actions);

  /// The images of a split; null while they load or where they are missing: then `problem` says
  /// why.
  void setImages(Split split,
                 std::shared_ptr<const LabeledImages> images,
                 const QString& problem = {});

  /// The network's predictions for the images; null = not known yet.
  void setPredictions(std::shared_ptr<const Predictions> predictions);
  /// Whether predictions can be requested, and the reason where they can't.
  void setPredictable(bool possible, const QString& reason);
  /// Progress of a classification; none = there is no classification.
  void setProgress(std::optional<std::pair<qint64, qint64>> doneOfTotal);

  /// How often the run's test images were scored; shown beside the choice of the split.
  void setTestEvaluations(int looks);

  /// The data have no images of this split: it can't be chosen.
  void setLacking(Split split);
  bool lacks(Split split) const;
  /// Other data.
  void forgetLacking();

  /// The shown image; an own picture is shown by its name.
  void setCurrent(int image);
  void setPictureName(const QString& name);

  Split split() const { return split_; }

  ImageGrid& grid() { return *grid_; }

  void setFilter(PredictionFilter filter);
  /// The same, and requests the predictions that it needs. Where the person is to be asked before
  /// the test set is scored, it offers to do so.
  void chooseFilter(PredictionFilter filter);
  void setClass(int label);  ///< -1 = all.

  /// Moves by this many places among the shown images, at most to the ends.
  void step(int by);
  void chooseRandom();

 Q_SIGNALS:
  void imageChosen(int image);
  void splitChosen(lambda::Split split);
  void predictionsRequested();
  void cancelRequested();

 private:
  void fill();
  void showCount();
  void fillClasses();
  void fitToText();
  void fitChoices();
  void showSplits();
  bool lacksPredictions() const;
  bool offersScore() const;
  /// Whether the split is known to be empty, from the run's record or after reading it.
  bool hasNoImages() const;
  std::optional<int> predictedOf(int image) const;

  Split split_ = Split::validation;
  std::shared_ptr<const LabeledImages> images_;
  std::shared_ptr<const Predictions> predictions_;
  QString problem_;
  bool isPredictable_ = false;
  bool isClassifying_ = false;
  PredictionFilter filter_ = PredictionFilter::all;
  int testEvaluations_ = 0;
  std::set<Split> lacking_;
  int label_ = -1;
  int current_ = -1;
  QString pictureName_;  ///< Of the shown own picture; empty = one of the images is shown.
  QHBoxLayout* buttons_;
  QComboBox* splits_;
  QComboBox* classes_;
  QComboBox* filters_;
  QSpinBox* index_;
  QLabel* status_;
  QPushButton* score_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QToolButton* export_;
  ImageGrid* grid_;
};

}  // namespace lambda
