#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"

class QBoxLayout;
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
  /// Gives the label that width in a row of `rowWidth`. The label is narrower, or stands above the
  /// editor, where the editor would cut its text.
  void setLabelWidth(int width, int rowWidth);
  int labelWidthHint() const;

  FieldEditor* editor() const { return editor_; }

 Q_SIGNALS:
  void edited(const std::string& path, const lambda::FieldValue& value, const QString& gesture);
  void finished(const QString& gesture);
  void fixRequested(const lambda::Fix& fix);
  void pickRequested(const std::string& path);
  /// The pointer rests on the row: its hint should be shown there.
  void hintRequested(const QPoint& at);

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
  QBoxLayout* line_;
  QLabel* label_;
  QLabel* note_;
  FieldValue notedAt_;
  FieldEditor* editor_;
  QVBoxLayout* below_;
  std::vector<QWidget*> problemLines_;
};

}  // namespace lambda
