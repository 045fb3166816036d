#include "app/inspect/text/text_picker.h"

#include <algorithm>
#include <limits>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include "app/inspect/panels/panel_parts.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kFieldWidth = 360;  // of the field, at the usual size of text

}  // namespace

TextPicker::TextPicker(QWidget* parent)
    : QWidget(parent),
      splits_(new QComboBox),
      index_(new QSpinBox),
      status_(makeNote()),
      text_(new QLineEdit),
      textLength_(makeNote()) {
  splits_->addItems({u"Validation"_s, u"Test"_s});
  splits_->setAccessibleName(u"Which texts"_s);
  index_->setAccessibleName(u"Number of the text"_s);
  index_->setToolTip(u"Number of the text within its split"_s);
  index_->setKeyboardTracking(false);
  index_->setMaximum(0);
  status_->setWordWrap(false);
  text_->setAccessibleName(u"Own text"_s);
  text_->setClearButtonEnabled(true);
  textLength_->setWordWrap(false);

  auto* row = new FlowLayout(spacing::kGap, this);
  row->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kWide, spacing::kGap);
  row->addWidget(splits_);
  row->addWidget(index_);
  row->addWidget(status_);
  auto* buttons = new QWidget;
  buttons_ = makeBareLayout<QHBoxLayout>(buttons, 0);
  row->addWidget(buttons);
  row->beginRight();
  row->addWidget(textLength_);
  row->addWidget(text_);

  connect(splits_, &QComboBox::activated, this, [this](int index) {
    Q_EMIT sequenceChosen(index == 0 ? Split::validation : Split::test, 0);
  });
  connect(index_, &QSpinBox::valueChanged, this, [this](int index) {
    choose(static_cast<std::uint64_t>(index));
  });
  connect(text_, &QLineEdit::returnPressed, this, [this] { Q_EMIT textGiven(text_->text()); });
  connect(text_, &QLineEdit::textChanged, this, [this](const QString& text) {
    showLength();
    if (text.isEmpty()) Q_EMIT textGiven(text);
  });
  fitToText();
  setInput(true, 0);
  onFontChange(*this, [this] { fitToText(); });
}

void TextPicker::fitToText() {
  text_->setFixedWidth(qRound(kFieldWidth * textScale()));
}

void TextPicker::addButtons(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setProperty(kRole, u"quiet"_s);
    buttons_->addWidget(button);
  }
  fitToText();
}

void TextPicker::setInput(bool areBytes, int length) {
  areBytes_ = areBytes;
  length_ = length;
  text_->setPlaceholderText(areBytes ? u"Type a text of your own, then Return"_s
                                     : u"Type tokens, such as 3 7 12, then Return"_s);
  text_->setToolTip(areBytes ? u"Its bytes in UTF-8 are the tokens, at most %1"_s.arg(length)
                             : u"Numbers with spaces between, at most %1"_s.arg(length));
  showLength();
}

void TextPicker::showLength() {
  const qsizetype count = areBytes_ ? text_->text().toUtf8().size()
                                    : text_->text().split(u' ', Qt::SkipEmptyParts).size();
  textLength_->setText(count == 0 ? QString() : u"%1 of %2 tokens"_s.arg(count).arg(length_));
  setRole(*textLength_, count > length_ ? u"error"_s : u"secondary"_s);
}

void TextPicker::setSequence(Split split, std::uint64_t sequence, std::uint64_t count) {
  count_ = count;
  splits_->setCurrentIndex(split == Split::test ? 1 : 0);
  const QSignalBlocker blocker(index_);
  const std::uint64_t last =
      std::min<std::uint64_t>(count > 0 ? count - 1 : 0, std::numeric_limits<int>::max());
  index_->setMaximum(static_cast<int>(last));
  index_->setValue(static_cast<int>(std::min(sequence, last)));
  status_->setText(count > 0 ? u"of %1"_s.arg(countText(static_cast<qint64>(count))) : QString());
}

void TextPicker::forgetText() {
  const QSignalBlocker blocker(text_);
  text_->clear();
  showLength();
}

void TextPicker::choose(std::uint64_t sequence) {
  Q_EMIT sequenceChosen(splits_->currentIndex() == 0 ? Split::validation : Split::test, sequence);
}

void TextPicker::step(int by) {
  index_->setValue(index_->value() + by);
}

void TextPicker::chooseRandom() {
  if (index_->maximum() == 0) return;
  index_->setValue(QRandomGenerator::global()->bounded(index_->maximum() + 1));
}

}  // namespace lambda
