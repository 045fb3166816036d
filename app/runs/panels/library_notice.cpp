#include "app/runs/panels/library_notice.h"

#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kNoticeWidth = 560;

}  // namespace

LibraryNotice::LibraryNotice(QWidget* parent)
    : QWidget(parent),
      middle_(new QWidget(this)),
      title_(new QLabel(middle_)),
      text_(new QLabel(middle_)),
      buttons_(new QHBoxLayout) {
  updateSizes();
  title_->setProperty(kRole, u"title"_s);
  title_->setAlignment(Qt::AlignHCenter);
  title_->setWordWrap(true);
  title_->setTextFormat(Qt::PlainText);
  text_->setProperty(kRole, u"secondary"_s);
  text_->setAlignment(Qt::AlignHCenter);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  buttons_->setSpacing(8);
  auto* column = new QVBoxLayout(middle_);
  column->setSpacing(12);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addSpacing(4);
  column->addLayout(buttons_);
  auto* place = new QVBoxLayout(this);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  line->addWidget(middle_);
  line->addStretch(1);
  place->addStretch(2);
  place->addLayout(line);
  place->addStretch(3);
  onFontChange(*this, [this] { updateSizes(); });
}

void LibraryNotice::setContent(const QString& title,
                               const QString& text,
                               std::vector<Button> buttons) {
  if (title_->text() == title && text_->text() == text) return;
  title_->setText(title);
  text_->setText(text);
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  buttons_->addStretch(1);
  bool isFirst = true;
  for (Button& button : buttons) {
    auto* widget = new QPushButton(button.text, this);
    if (isFirst) widget->setProperty(kRole, u"primary"_s);
    isFirst = false;
    connect(widget, &QPushButton::clicked, this, [action = std::move(button.action)] { action(); });
    buttons_->addWidget(widget);
  }
  buttons_->addStretch(1);
}

void LibraryNotice::updateSizes() {
  // A column with a fixed width: wrapped texts know their height only within one.
  middle_->setFixedWidth(qRound(kNoticeWidth * textScale()));
}

QString LibraryNotice::title() const {
  return title_->text();
}

}  // namespace lambda
