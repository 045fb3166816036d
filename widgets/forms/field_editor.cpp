#include "widgets/forms/field_editor.h"

#include <cmath>

#include <QGuiApplication>
#include <QUuid>

#include "widgets/forms/choice_editor.h"
#include "widgets/forms/number_editor.h"
#include "widgets/forms/switch_editor.h"
#include "widgets/forms/text_editor.h"

namespace lambda {

namespace {

constexpr int kIdleMs = 1500;

bool isNumber(const FieldValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

}  // namespace

FieldEditor* FieldEditor::make(const FieldRow& row, QWidget* parent) {
  if (row.isUnsigned) return new SeedEditor(parent);
  if (isNumber(row.value)) return new NumberEditor(parent);
  if (std::holds_alternative<bool>(row.value)) return new SwitchEditor(parent);
  if (std::holds_alternative<Choice>(row.value)) return new ChoiceEditor(parent);
  return new TextEditor(parent);
}

bool FieldEditor::isSameKind(const FieldRow& a, const FieldRow& b) {
  return a.isUnsigned == b.isUnsigned && a.value.index() == b.value.index();
}

FieldEditor::FieldEditor(QWidget* parent) : QWidget(parent) {
  idle_.setSingleShot(true);
  idle_.setInterval(kIdleMs);
  connect(&idle_, &QTimer::timeout, this, [this] {
    if (QGuiApplication::mouseButtons() == Qt::NoButton) {
      endGesture();
    } else {
      idle_.start();
    }
  });
}

FieldEditor::~FieldEditor() {
  // A field that loses the focus together with its editor does not end a gesture.
  for (QWidget* field : findChildren<QWidget*>()) disconnect(field, nullptr, this, nullptr);
}

void FieldEditor::editInGesture(const FieldValue& value) {
  if (gesture_.isEmpty()) gesture_ = QUuid::createUuid().toString();
  idle_.start();
  Q_EMIT edited(value, gesture_);
}

void FieldEditor::editOnce(const FieldValue& value) {
  endGesture();
  Q_EMIT edited(value, {});
}

void FieldEditor::endGesture() {
  idle_.stop();
  if (gesture_.isEmpty()) return;
  const QString gesture = gesture_;
  gesture_.clear();
  Q_EMIT finished(gesture);
}

}  // namespace lambda
