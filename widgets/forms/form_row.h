#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/config/problem.h"
#include "widgets/forms/field_rows.h"

class QLabel;
class QVBoxLayout;

namespace lambda {

class FieldEditor;

/// A label, an editor and, below them, the problems of the field.
class FormRow : public QWidget {
  Q_OBJECT

 public:
  FormRow(const FieldRow& row, QWidget* parent);

  const FieldRow& row() const { return row_; }

  void show(const FieldRow& row);
  void setProblems(const std::vector<Problem>& problems);
  void setLabelWidth(int width);
  int labelWidthHint() const;

  FieldEditor* editor() const { return editor_; }

 Q_SIGNALS:
  void edited(const std::string& path, const lambda::FieldValue& value, const QString& gesture);
  void finished(const QString& gesture);
  void fixRequested(const lambda::Fix& fix);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void popUpMenu(const QPoint& at);
  void showProblems();
  QWidget* makeProblem(const Problem& problem);

  FieldRow row_;
  std::vector<Problem> problems_;
  QLabel* label_;
  FieldEditor* editor_;
  QVBoxLayout* below_;
  std::vector<QWidget*> problemLines_;
};

}  // namespace lambda
