#include "app/runs/panels/message_bar.h"

#include <utility>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>

#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Long enough to read the message and to find the button.
constexpr int kTellMs = 12000;
constexpr int kMostMoreEpochs = 100000;

}  // namespace

RunsMessageBar::RunsMessageBar(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      number_(new QSpinBox(this)),
      action_(new QPushButton(this)),
      close_(new QToolButton(this)),
      timer_(new QTimer(this)) {
  setProperty(kRole, u"card"_s);
  setAccessibleName(u"Message"_s);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  // A long word without breaks must not make the window wider.
  text_->setMinimumWidth(1);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  number_->setRange(1, kMostMoreEpochs);
  close_->setProperty(kRole, u"quiet"_s);
  close_->setToolTip(u"Close (Esc)"_s);
  close_->setAccessibleName(u"Close"_s);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 6, 6, 6);
  row->setSpacing(8);
  row->addWidget(text_, 1);
  row->addWidget(number_);
  row->addWidget(action_);
  row->addWidget(close_);
  timer_->setSingleShot(true);
  timer_->setInterval(kTellMs);
  connect(timer_, &QTimer::timeout, this, &QWidget::hide);
  connect(close_, &QToolButton::clicked, this, &QWidget::hide);
  connect(action_, &QPushButton::clicked, this, [this] {
    const std::function<void()> call = std::exchange(call_, {});
    hide();
    if (call) call();
  });
  connect(number_, &QSpinBox::valueChanged, this, &RunsMessageBar::showUnit);
  action_->setAutoDefault(true);
  updateIcons();
  hide();
  onPaletteChange(*this, [this] { updateIcons(); });
}

void RunsMessageBar::ask(const QString& text,
                         const QString& actionText,
                         std::function<void()> action) {
  show(text, actionText, std::move(action));
  isQuestion_ = true;
  action_->setFocus();
}

void RunsMessageBar::askNumber(const QString& text,
                               const Unit& unit,
                               int value,
                               const QString& actionText,
                               std::function<void(int)> action) {
  show(text, actionText, [this, action = std::move(action)] { action(number_->value()); });
  isQuestion_ = true;
  unit_ = unit;
  number_->setAccessibleName(unit.many);
  number_->setValue(value);
  showUnit();
  number_->show();
  number_->setFocus();
  number_->selectAll();
}

void RunsMessageBar::withdraw() {
  if (isQuestion_) hide();
}

void RunsMessageBar::tell(const QString& text,
                          const QString& actionText,
                          std::function<void()> action) {
  show(text, actionText, std::move(action));
  timer_->start();
}

void RunsMessageBar::warn(const QString& text) {
  show(text, {}, {});
  setRole(*text_, u"error"_s);
}

QString RunsMessageBar::text() const {
  return text_->text();
}

void RunsMessageBar::show(const QString& text,
                          const QString& actionText,
                          std::function<void()> action) {
  timer_->stop();
  isQuestion_ = false;
  call_ = std::move(action);
  text_->setText(text);
  setRole(*text_, {});
  number_->hide();
  action_->setText(actionText);
  action_->setVisible(!actionText.isEmpty());
  QFrame::show();
}

void RunsMessageBar::showUnit() {
  number_->setSuffix(u' ' + (number_->value() == 1 ? unit_.one : unit_.many));
}

void RunsMessageBar::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      hide();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (action_->isVisible()) action_->click();
      return;
    default:
      QFrame::keyPressEvent(event);
  }
}

void RunsMessageBar::updateIcons() {
  close_->setIcon(icon(u"close"_s, *this));
}

}  // namespace lambda
