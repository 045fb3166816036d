#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <QImage>
#include <QString>
#include <QWidget>

#include "app/train/data/sample_images.h"
#include "engine/values/config/run_config.h"
#include "widgets/export/exportable.h"

class QPushButton;

namespace lambda {

/// A few training images, each in its original form and as eight epochs would see it: drawn by the
/// same code as in training.
class AugmentationPreview : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit AugmentationPreview(QWidget* parent = nullptr);

  void setSamples(std::shared_ptr<const SampleSet> samples);
  void setAugmentation(const AugmentationConfig& config, std::uint64_t seed);

  /// Shown while there are no samples.
  void setPlaceholder(const QString& text);

  /// Shows the next images of the samples; the first ones follow the last.
  void showNext();

  /// The rows of pictures: the original and its augmented samples; empty without samples.
  const std::vector<std::vector<QImage>>& rows() const { return rows_; }

  QString exportName() const override;

  QString exportCaption() const override { return accessibleName(); }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void redraw();
  void draw();
  double cellSide(double width) const;

  std::shared_ptr<const SampleSet> samples_;
  AugmentationConfig config_;
  std::uint64_t seed_ = 0;
  std::size_t first_ = 0;
  QString placeholder_;
  QString problem_;
  std::vector<std::vector<QImage>> rows_;
};

}  // namespace lambda
