#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/heatmap.h"
#include "engine/values/run/predictions.h"

class QLabel;
class QPushButton;

namespace lambda {

class ImageGrid;

/// The images behind a cell of a confusion matrix, or all wrong ones, in descending order of
/// confidence, with the prediction of the chosen one.
class CellImages : public QWidget {
  Q_OBJECT

 public:
  explicit CellImages(QWidget* parent = nullptr);

  /// `images` may be null while they are read. `sentence` describes the cell.
  void setContent(std::shared_ptr<const Predictions> predictions,
                  std::shared_ptr<const LabeledImages> images,
                  std::optional<Cell> cell,
                  const QString& sentence);

  /// Shows the reason why there are no images.
  void setProblem(const QString& reason);

 Q_SIGNALS:
  /// The index of the image within the split.
  void inspectClicked(int image);

 private:
  void updateSizes();
  void describe(int image);

  std::shared_ptr<const Predictions> predictions_;
  QLabel* title_;
  ImageGrid* grid_;
  QLabel* text_;
  QPushButton* inspect_;
};

}  // namespace lambda
