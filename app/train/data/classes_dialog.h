#pragma once

#include <QDialog>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "widgets/work/work.h"

class QTableWidget;

namespace lambda {

struct ClassExamples;

/// The classes of a data set, where it has any, with the number of their images and some of them,
/// and everything that a check of the data has found.
class ClassesDialog : public QDialog {
  Q_OBJECT

 public:
  ClassesDialog(const DataReport& report, const DataSource& source, QWidget* parent);

 private:
  void addClasses(const std::vector<ClassCount>& counts);
  QWidget* makeFindings(const std::vector<DataFinding>& findings);
  void showExamples(const ClassExamples& examples);

  QTableWidget* classes_;
  Work reading_{*this};
};

}  // namespace lambda
