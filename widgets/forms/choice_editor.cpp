#include "widgets/forms/choice_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QWheelEvent>

#include "widgets/forms/sentence.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

class QuietComboBox : public QComboBox {
 public:
  using QComboBox::QComboBox;

 protected:
  void wheelEvent(QWheelEvent* event) override {
    if (hasFocus()) {
      QComboBox::wheelEvent(event);
    } else {
      event->ignore();
    }
  }
};

}  // namespace

ChoiceEditor::ChoiceEditor(QWidget* parent) : FieldEditor(parent), box_(new QuietComboBox(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(box_);
  box_->setFocusPolicy(Qt::StrongFocus);
  box_->setPlaceholderText(u"—"_s);
  box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box_->setMinimumContentsLength(6);
  setFocusProxy(box_);
  connect(box_, &QComboBox::activated, this, [this](int index) {
    Choice next = choice_;
    next.index = index;
    editOnce(next);
  });
}

void ChoiceEditor::show(const FieldRow& row) {
  const auto& choice = std::get<Choice>(row.value);
  if (choice.names != choice_.names || box_->count() == 0) {
    box_->clear();
    for (const std::string& name : choice.names) {
      box_->addItem(QString::fromStdString(choiceLabel(row.path, name)));
    }
  }
  choice_ = choice;
  box_->setCurrentIndex(row.mixed ? -1 : choice.index);
  box_->setAccessibleName(QString::fromStdString(row.label));
  box_->setToolTip(sentence(row.meaning));
}

QWidget* ChoiceEditor::field() {
  return box_;
}

}  // namespace lambda
