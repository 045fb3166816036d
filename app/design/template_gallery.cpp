#include "app/design/template_gallery.h"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/design/template_card.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kCardGap = 12;
constexpr int kMargin = 16;
constexpr int kScrollBar = 10;

}  // namespace

TemplateGallery::TemplateGallery(QWidget* parent)
    : QFrame(parent),
      content_(new QWidget),
      area_(new QScrollArea(this)),
      close_(new QToolButton(this)) {
  setProperty(kRole, u"card"_s);
  setAccessibleName(u"Templates"_s);
  auto* title = new QLabel(u"Start from a template"_s, this);
  title->setProperty(kRole, u"heading"_s);
  auto* note = new QLabel(
      u"A template starts a network without a file; you are asked before changes are lost."_s,
      this);
  note->setProperty(kRole, u"secondary"_s);
  close_->setProperty(kRole, u"quiet"_s);
  close_->setToolTip(u"Close (Esc)"_s);
  close_->setAccessibleName(u"Close"_s);
  connect(close_, &QToolButton::clicked, this, &QWidget::hide);
  auto* header = new QHBoxLayout;
  header->setSpacing(12);
  header->addWidget(title);
  header->addWidget(note);
  header->addStretch();
  header->addWidget(close_);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setWidget(content_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, 10, kMargin, kMargin);
  layout->setSpacing(8);
  layout->addLayout(header);
  layout->addWidget(area_, 1);
  hide();
}

void TemplateGallery::open(const QRect& area) {
  if (groups_.empty()) load();
  const int columns = qRound(264 * textScale()) + kCardGap;
  const int frame = 2 * kMargin + kScrollBar + 2;
  const int most = std::max(1, (area.width() - frame + kCardGap) / columns);
  resize(std::min(most, 4) * columns - kCardGap + frame, area.height());
  ensurePolished();
  layout()->activate();
  const int chrome = height() - area_->viewport()->height();
  resize(width(), std::min(area.height(), content_->height() + chrome));
  move(area.topLeft());
  show();
  raise();
  if (!groups_.empty() && !groups_.front().cards.empty()) {
    groups_.front().cards.front()->setFocus(Qt::OtherFocusReason);
  }
}

void TemplateGallery::load() {
  QStringList problems;
  for (const TemplateGroup& group : loadTemplates(problems)) {
    auto* title = new QLabel(group.title, content_);
    title->setProperty(kRole, u"secondary"_s);
    Group shown{title, {}};
    for (const Template& from : group.templates) {
      auto* card = new TemplateCard(from, content_);
      connect(card, &QAbstractButton::clicked, this, [this, card] {
        hide();
        Q_EMIT chosen(card->shown());
      });
      shown.cards.push_back(card);
    }
    groups_.push_back(shown);
  }
  for (const QString& problem : problems) {
    auto* text = new QLabel(problem, content_);
    text->setProperty(kRole, u"error"_s);
    text->setTextFormat(Qt::PlainText);
    groups_.push_back({text, {}});
  }
}

/// Places the cards side by side, as many as fit into the width.
void TemplateGallery::arrange() {
  const int width = this->width() - 2 * kMargin - kScrollBar;
  int y = 0;
  for (const Group& group : groups_) {
    const QSize title = group.title->sizeHint();
    group.title->setGeometry(0, y, width, title.height());
    group.title->show();
    y += title.height() + 8;
    int x = 0;
    int lineHeight = 0;
    for (QWidget* card : group.cards) {
      if (x > 0 && x + card->width() > width) {
        x = 0;
        y += lineHeight + kCardGap;
      }
      card->move(x, y);
      card->show();
      x += card->width() + kCardGap;
      lineHeight = card->height();
    }
    y += lineHeight + kMargin;
  }
  content_->resize(width, y - kMargin);
}

bool TemplateGallery::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Typed letters must not change the network behind the cards.
    const auto modifiers = static_cast<QKeyEvent*>(event)->modifiers();
    if (!(modifiers & (Qt::ControlModifier | Qt::AltModifier))) {
      event->accept();
      return true;
    }
  }
  return QFrame::event(event);
}

void TemplateGallery::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  Q_EMIT closed();
}

void TemplateGallery::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    hide();
    return;
  }
  QFrame::keyPressEvent(event);
}

void TemplateGallery::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  arrange();
}

void TemplateGallery::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) close_->setIcon(icon(u"close"_s, *this));
}

}  // namespace lambda
