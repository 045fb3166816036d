#pragma once

#include <vector>

#include <QTableWidget>

#include "engine/values/theory/theory_experiment.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// The numbers of a theory experiment as a table: what was found, with its standard deviation and
/// the number of repetitions, and what the source reports.
class TheoryNumbers : public QTableWidget, public Exportable {
  Q_OBJECT

 public:
  explicit TheoryNumbers(QWidget* parent = nullptr);

  /// `experiment`: stem of the names of exported files. `caption`: what exported tables show.
  void setNumbers(const QString& experiment,
                  const QString& caption,
                  const std::vector<TheoryNumber>& numbers);

  QString exportName() const override;
  QString exportCaption() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 private:
  std::vector<QStringList> rowsWithTitles() const;
  int contentHeight() const;

  QString experiment_;
  QString caption_;
  std::vector<TheoryNumber> numbers_;
};

}  // namespace lambda
