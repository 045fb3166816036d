#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QWidget>

#include "engine/values/experiment/sample_summary.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// One variant: a value for each seed, their mean and its 95 % interval, in shown units.
struct EffectRow {
  QString name;
  std::vector<double> values;
  SampleSummary summary;

  bool operator==(const EffectRow&) const = default;
};

/// The variants of an experiment below each other: a point for each seed, the mean with its 95 %
/// interval, and the baseline's mean as a vertical line.
class EffectPlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit EffectPlot(QWidget* parent = nullptr);

  /// `title`: quantity and unit. `baseline`: index of a row.
  void setRows(const QString& title, std::vector<EffectRow> rows, std::size_t baseline);

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Lines of variant, count, mean and the ends of the interval.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Axis;

  void paintAxis(QPainter& painter, const Axis& axis, const Colors& colors) const;
  static void paintRow(
      QPainter& painter, const EffectRow& row, const Axis& axis, double y, const Colors& colors);

  QString title_;
  std::vector<EffectRow> rows_;
  std::size_t baseline_ = 0;
  std::optional<Interval> range_;  ///< Of all values and intervals; nothing without values.
};

}  // namespace lambda
