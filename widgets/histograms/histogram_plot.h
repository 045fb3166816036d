#pragma once

#include <vector>

#include <QWidget>

#include "widgets/export/exportable.h"
#include "widgets/histograms/histogram_picture.h"

namespace lambda {

struct AccessiblePart;

/// Histograms of one quantity over the steps of a run, as a heat map with lines for quantiles, or
/// as ridges. Hovering shows the step and the value below the pointer with the share of the values
/// there; the left and right keys move from step to step. Values that are not finite are red marks
/// above their step.
class HistogramPlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit HistogramPlot(QWidget* parent = nullptr);

  /// Replaces the histograms, ascending by step. `title`: what they are of. `quantity`: what the
  /// values are, beside their axis. The crosshair stays at its step.
  void setHistograms(const QString& title,
                     const QString& quantity,
                     std::vector<HistogramColumn> columns);

  void setForm(HistogramForm form);
  void setLogarithmic(bool on);
  void setQuantilesVisible(bool on);

  /// The text while there are no histograms.
  void setEmptyText(const QString& text);

  /// Stem of exported files.
  void setExportName(const QString& name);

  const HistogramPicture& picture() const { return picture_; }

  /// A sentence about the step and the value at the crosshair; empty without one.
  QString readout() const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// A line for each bin that holds values, and for each kind of value that is not finite: step,
  /// low, high, count.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The crosshair has moved, or what lies below it has changed.
  void readoutChanged(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QString stepText(std::size_t column) const;
  QStringList summaryOf(std::size_t column) const;
  AccessiblePart describedStep(std::size_t column) const;
  void mark(std::optional<std::size_t> column, double value);
  void walk(int direction);

  HistogramPicture picture_;
  bool isLogarithmic_ = false;
  QString emptyText_;
  QString exportName_;
};

}  // namespace lambda
