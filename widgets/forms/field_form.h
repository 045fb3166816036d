#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QString>
#include <QWidget>

#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"

namespace lambda {

struct FormSection {
  QString title;  ///< Empty = without a heading.
  std::vector<FieldRow> rows;
};

/// A form made of rows: one editor per field, its hint as tooltip and, while it is focused, at the
/// foot; problems below their field with a button for the fix; "Reset to ..." on the context
/// menu. It shows what it is given and asks for changes: the owner answers edited() with
/// setSections(). Rows that stay keep their editors and the text that somebody is typing.
class FieldForm : public QWidget {
  Q_OBJECT

 public:
  explicit FieldForm(QWidget* parent = nullptr);
  ~FieldForm() override;

  void setSections(const std::vector<FormSection>& sections);

  /// Shows the problems whose path is a row's, or that of a value around rows, which then stand at
  /// the first of these rows. Other problems are not shown.
  void setProblems(const std::vector<Problem>& problems);

  /// Shows the focused row's hint at the foot; on by default.
  void setHelpVisible(bool visible);

  /// Offers at every row to vary its field in an experiment; off by default.
  void setVariable(bool isVariable);

  /// What other values of a row would do, shown behind its hint; asked when a person looks at it.
  void setEffects(const std::function<QString(const FieldRow&)>& effects);

  /// Scrolls to the row and puts the cursor into it. False where there is no such row.
  bool focusField(const std::string& path);

  /// The editor of a row, for tests and tab orders; null where there is none.
  QWidget* editorOf(const std::string& path) const;

  /// As high as all rows; where there is less space they scroll.
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// A person requests this value for `path`. The changes of one drag, one held key or one burst of
  /// typing have the same non-empty `gesture`.
  void edited(const std::string& path, const lambda::FieldValue& value, const QString& gesture);

  /// The drag or typing has ended: the next change begins another undo step.
  void finished(const QString& gesture);

  void fixRequested(const lambda::Fix& fix);

  /// The choices of a row with isPicked should be offered: the owner answers a person's choice as
  /// an edit of the row.
  void pickRequested(const std::string& path);

  /// A person wants to compare several values of the row's field.
  void varyRequested(const lambda::FieldRow& row);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Rows;

  std::unique_ptr<Rows> rows_;
};

}  // namespace lambda
