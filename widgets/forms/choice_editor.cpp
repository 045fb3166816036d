#include "widgets/forms/choice_editor.h"

#include <algorithm>
#include <functional>

#include <QAbstractItemView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QWheelEvent>

#include "widgets/forms/sentence.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kFrameWidth = 52;  ///< Of a box around its text, with the arrow, at scale 1.

class QuietComboBox : public QComboBox {
 public:
  using QComboBox::QComboBox;

  std::function<void()> pick;  ///< Offers the choices in place of the list, if set.

  void showPopup() override {
    if (pick) {
      pick();
    } else {
      QComboBox::showPopup();
    }
  }

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
  auto* layout = makeBareLayout<QHBoxLayout>(this);
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
    for (int i = 0; i < static_cast<int>(choice.names.size()); ++i) {
      box_->addItem(QString::fromStdString(choiceLabel(row, {i, choice.names})));
    }
  }
  choice_ = choice;
  auto* box = static_cast<QuietComboBox*>(box_);
  box->pick = row.isPicked ? [this] { Q_EMIT pickRequested(); } : std::function<void()>();
  box_->setCurrentIndex(row.mixed ? -1 : choice.index);
  box_->setAccessibleName(QString::fromStdString(row.label));
  // A list that is wider than its field is shown in full.
  int widest = 0;
  for (int i = 0; i < box_->count(); ++i) widest = std::max(widest, widthOf(box_->itemText(i)));
  box_->view()->setMinimumWidth(widest);
  box_->setToolTip(toolTipOf(row));
}

int ChoiceEditor::widthOf(const QString& text) const {
  return box_->fontMetrics().horizontalAdvance(text) + qRound(kFrameWidth * textScale());
}

int ChoiceEditor::fullWidth() const {
  return widthOf(box_->currentText());
}

QWidget* ChoiceEditor::field() {
  return box_;
}

}  // namespace lambda
