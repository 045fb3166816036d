#include "app/inspect/empty_state.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTextWidth = 440;
constexpr int kLeastWidth = 280;

}  // namespace

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      text_(new QLabel),
      first_(new QPushButton),
      second_(new QPushButton) {
  title_->setProperty(kRole, u"heading"_s);
  title_->setWordWrap(true);
  title_->setAlignment(Qt::AlignCenter);
  text_->setProperty(kRole, u"secondary"_s);
  text_->setWordWrap(true);
  text_->setAlignment(Qt::AlignCenter);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  first_->setProperty(kRole, u"primary"_s);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch();
  buttons->addWidget(first_);
  buttons->addWidget(second_);
  buttons->addStretch();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(
      spacing::kMargin, spacing::kMargin, spacing::kMargin, spacing::kMargin);
  column->setSpacing(8);
  column->addStretch(2);
  column->addWidget(title_, 0, Qt::AlignHCenter);
  column->addWidget(text_, 0, Qt::AlignHCenter);
  column->addSpacing(8);
  column->addLayout(buttons);
  column->addStretch(3);
  setButtons({}, {});
  connect(first_, &QPushButton::clicked, this, &EmptyState::firstClicked);
  connect(second_, &QPushButton::clicked, this, &EmptyState::secondClicked);
  onFontChange(*this, [this] { fitToText(); });
}

void EmptyState::setTexts(const QString& title, const QString& text) {
  title_->setText(title);
  text_->setText(text);
  text_->setVisible(!text.isEmpty());
  fitToText();
}

void EmptyState::fitToText() {
  const int width =
      std::min(qRound(kTextWidth * textScale()), contentsRect().width() - 2 * spacing::kMargin);
  for (QLabel* label : {title_, text_}) {
    label->setFixedWidth(std::max(0, width));
    // Centred labels get the height of one line unless they have a minimum height.
    label->setMinimumHeight(std::max(0, label->heightForWidth(width)));
  }
}

QSize EmptyState::minimumSizeHint() const {
  return {qRound(kLeastWidth * textScale()), QWidget::minimumSizeHint().height()};
}

void EmptyState::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitToText();
}

void EmptyState::setButtons(const QString& first, const QString& second) {
  first_->setText(first);
  first_->setVisible(!first.isEmpty());
  second_->setText(second);
  second_->setVisible(!second.isEmpty());
}

QString EmptyState::title() const {
  return title_->text();
}

QString EmptyState::text() const {
  return text_->text();
}

}  // namespace lambda
