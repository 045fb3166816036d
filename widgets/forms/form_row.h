#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"

class QBoxLayout;
class QLabel;
class QToolButton;
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

  /// Offers to vary the field in an experiment: in the context menu, and with a button at the label
  /// while the pointer is over the row.
  void setVariable(bool isVariable);

 Q_SIGNALS:
  void edited(const std::string& path, const lambda::FieldValue& value, const QString& gesture);
  void finished(const QString& gesture);
  void fixRequested(const lambda::Fix& fix);
  void pickRequested(const std::string& path);
  void varyRequested();
  /// The pointer rests on the row: its hint should be shown there.
  void hintRequested(const QPoint& at);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

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
  QToolButton* vary_ = nullptr;  ///< Above the end of the label; null where it is not offered.
};

}  // namespace lambda
