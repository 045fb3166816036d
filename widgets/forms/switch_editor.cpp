#include "widgets/forms/switch_editor.h"

#include <QHBoxLayout>

#include "widgets/forms/sentence.h"
#include "widgets/forms/switch_box.h"
#include "widgets/theme/theme.h"

namespace lambda {

SwitchEditor::SwitchEditor(QWidget* parent) : FieldEditor(parent), box_(new SwitchBox(this)) {
  auto* layout = makeBareLayout<QHBoxLayout>(this);
  layout->addWidget(box_);
  layout->addStretch();
  setFocusProxy(box_);
  connect(box_, &QCheckBox::clicked, this, [this] {
    box_->setTristate(false);
    editOnce(box_->isChecked());
  });
}

void SwitchEditor::show(const FieldRow& row) {
  box_->setTristate(row.mixed);
  box_->setCheckState(row.mixed                   ? Qt::PartiallyChecked
                      : std::get<bool>(row.value) ? Qt::Checked
                                                  : Qt::Unchecked);
  box_->setAccessibleName(QString::fromStdString(row.label));
  box_->setToolTip(toolTipOf(row));
}

QWidget* SwitchEditor::field() {
  return box_;
}

}  // namespace lambda
