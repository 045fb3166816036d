#include "app/train/setup/setup_column.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/train/caption.h"
#include "widgets/export/export_menu.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kWidest = 480;
constexpr int kHeadHeight = 32;

}  // namespace

SetupColumn::SetupColumn(const QString& title, QWidget* beside, QWidget* parent)
    : QWidget(parent), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(0, spacing::kGap, 0, spacing::kGap);
  column_->setSpacing(spacing::kGap);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  heading_ = new QLabel(title, this);
  heading_->setProperty(kRole, u"heading"_s);
  head->addWidget(heading_);
  head->addStretch();
  if (beside) head->addWidget(beside);
  column_->addLayout(head);
  note_ = new QLabel(this);
  note_->setObjectName(u"note"_s);
  note_->setProperty(kRole, u"secondary"_s);
  note_->setWordWrap(true);
  note_->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  note_->hide();
  column_->addWidget(note_);
  updateSizes();
  onFontChange(*this, [this] { updateSizes(); });
}

void SetupColumn::updateSizes() {
  setMaximumWidth(qRound(kWidest * textScale()));
  // As high as with a button beside it, so that the titles of all columns are aligned.
  heading_->setMinimumHeight(qRound(kHeadHeight * textScale()));
}

void SetupColumn::setNote(const QString& note) {
  note_->setText(note);
  note_->setVisible(!note.isEmpty());
}

void SetupColumn::add(QWidget* widget) {
  column_->addWidget(widget);
}

void SetupColumn::addInside(QWidget* widget) {
  auto* holder = new QVBoxLayout;
  holder->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, spacing::kGap);
  holder->addWidget(widget);
  column_->addLayout(holder);
}

QWidget* SetupColumn::addPicture(
    const QString& name, QWidget& picture, Exportable& exported, QWidget* beside, int stretch) {
  auto* holder = new QWidget(this);
  auto* head = new QHBoxLayout;
  head->addWidget(makeCaption(holder, name));
  head->addStretch();
  if (beside) head->addWidget(beside);
  head->addWidget(makeExportButton(exported, picture));
  auto* column = new QVBoxLayout(holder);
  column->setContentsMargins(spacing::kMargin, 0, spacing::kMargin, 0);
  column->setSpacing(spacing::kGap);
  column->addLayout(head);
  column->addWidget(&picture);
  column_->addWidget(holder, stretch);
  return holder;
}

void SetupColumn::end() {
  column_->addStretch(1);
}

}  // namespace lambda
