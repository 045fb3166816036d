#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QPointF>
#include <QString>
#include <QWidget>

#include "engine/values/experiment/sample_summary.h"
#include "widgets/export/exportable.h"

class QFontMetricsF;

namespace lambda {

/// One variant: a value for each seed, their mean and its 95 % interval, in shown units.
struct EffectRow {
  QString name;
  std::vector<double> values;
  SampleSummary summary;
  std::vector<std::string> runs = {};  ///< [values]: identify the runs in runClicked().

  bool operator==(const EffectRow&) const = default;
};

/// The variants of an experiment below each other: a point for each seed, the mean with its 95 %
/// interval, and the baseline's mean as a vertical line. A click on a point requests its run, one
/// elsewhere in a row the variant.
class EffectPlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit EffectPlot(QWidget* parent = nullptr);

  /// `title`: quantity and unit. `baseline`: index of a row.
  void setRows(const QString& title, std::vector<EffectRow> rows, std::size_t baseline);

  /// Stem of exported files.
  void setExportName(const QString& name) { exportName_ = name; }

  /// The position of a value in the widget's coordinates; `row` must have a mean.
  QPointF positionOf(std::size_t row, double value) const;

  QString exportName() const override { return exportName_; }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Lines of variant, count, mean and the ends of the interval.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void runClicked(const std::string& run);
  /// The index of a row.
  void rowClicked(std::size_t row);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Axis;

  /// The axis of a drawing of this size; nothing may be drawn without a range.
  Axis axisFor(const QSize& size, const QFontMetricsF& metrics) const;
  void paintAxis(QPainter& painter, const Axis& axis, const Colors& colors) const;
  static void paintRow(
      QPainter& painter, const EffectRow& row, const Axis& axis, double y, const Colors& colors);

  QString title_;
  QString exportName_ = QStringLiteral("effects");
  std::vector<EffectRow> rows_;
  std::size_t baseline_ = 0;
  std::optional<Interval> range_;  ///< Of all values and intervals; nothing without values.
};

}  // namespace lambda
