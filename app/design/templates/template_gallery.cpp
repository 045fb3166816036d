#include "app/design/templates/template_gallery.h"

#include <algorithm>

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

#include "app/design/templates/template_card.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostColumns = 4;
constexpr int kFilterWidth = 180;

}  // namespace

TemplateGallery::TemplateGallery(QWidget* parent)
    : CardGallery(
          u"Start from a template"_s,
          u"A template starts a network without a file; you are asked before changes are lost."_s,
          parent),
      filter_(new QLineEdit) {
  filter_->setPlaceholderText(u"Find a network"_s);
  filter_->setAccessibleName(u"Find a network"_s);
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(kFilterWidth);
  addControl(*filter_);
  connect(filter_, &QLineEdit::textChanged, this, [this] {
    placeCards();
    scrollToTop();
  });
  connect(filter_, &QLineEdit::returnPressed, this, &TemplateGallery::focusFirstCard);
}

void TemplateGallery::open(const QRect& area) {
  if (groups_.empty()) load();
  filter_->clear();
  openOver(area);
  focusFirstCard();
}

void TemplateGallery::focusFirstCard() {
  for (const Group& group : groups_) {
    for (TemplateCard* card : group.cards) {
      if (!card->isVisibleTo(&content())) continue;
      focusCard(*card, Qt::OtherFocusReason);
      return;
    }
  }
}

void TemplateGallery::load() {
  QStringList problems;
  for (const TemplateGroup& group : loadTemplates(problems)) {
    auto* title = new QLabel(group.title, &content());
    title->setProperty(kRole, u"secondary"_s);
    Group shown{title, {}};
    for (const Template& from : group.templates) {
      auto* card = new TemplateCard(from, &content());
      connect(card, &QAbstractButton::clicked, this, [this, card] {
        hide();
        Q_EMIT chosen(card->shown());
      });
      addCard(*card);
      shown.cards.push_back(card);
    }
    groups_.push_back(shown);
  }
  for (const QString& problem : problems) {
    auto* text = new QLabel(problem, &content());
    text->setProperty(kRole, u"error"_s);
    text->setTextFormat(Qt::PlainText);
    groups_.push_back({text, {}});
  }
}

int TemplateGallery::contentWidth(int available) const {
  const int column = qRound(264 * textScale()) + kGap;
  const int most = std::max(1, (available + kGap) / column);
  return std::min(most, kMostColumns) * column - kGap;
}

/// Places the cards that match the filter side by side, as many as fit into the width.
int TemplateGallery::arrange(int width) {
  int y = 0;
  for (const Group& group : groups_) {
    bool isShown = group.cards.empty();
    for (TemplateCard* card : group.cards) {
      card->setVisible(card->matches(filter_->text()));
      isShown = isShown || card->isVisibleTo(&content());
    }
    group.title->setVisible(isShown);
    if (!isShown) continue;
    const QSize title = group.title->sizeHint();
    group.title->setGeometry(0, y, width, title.height());
    y += title.height() + 8;
    int x = 0;
    int lineHeight = 0;
    for (TemplateCard* card : group.cards) {
      if (!card->isVisibleTo(&content())) continue;
      if (x > 0 && x + card->width() > width) {
        x = 0;
        y += lineHeight + kGap;
      }
      card->move(x, y);
      x += card->width() + kGap;
      lineHeight = card->height();
    }
    y += lineHeight + spacing::kMargin;
  }
  return std::max(0, y - spacing::kMargin);
}

void TemplateGallery::keyPressEvent(QKeyEvent* event) {
  const QString typed = event->text();
  if (!typed.isEmpty() && typed[0].isPrint() && !typed[0].isSpace()) {
    filter_->setFocus(Qt::OtherFocusReason);
    filter_->insert(typed);
    return;
  }
  CardGallery::keyPressEvent(event);
}

}  // namespace lambda
