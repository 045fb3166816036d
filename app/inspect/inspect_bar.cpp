#include "app/inspect/inspect_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>

#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

InspectBar::InspectBar(const QList<QAction*>& modes, QWidget* parent)
    : QWidget(parent),
      chooser_(new SourceChooser),
      row_(new QHBoxLayout(this)),
      status_(new ElidedLabel),
      busy_(new QProgressBar) {
  row_->setContentsMargins(12, 8, 12, 8);
  row_->setSpacing(12);
  status_->setProperty(kRole, u"secondary"_s);
  status_->setElideMode(Qt::ElideMiddle);
  busy_->setRange(0, 0);
  busy_->setFixedWidth(64);
  busy_->setAccessibleName(u"Working"_s);
  QSizePolicy kept = busy_->sizePolicy();
  kept.setRetainSizeWhenHidden(true);
  busy_->setSizePolicy(kept);
  busy_->hide();
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  for (QAction* mode : modes) {
    auto* button = new QToolButton;
    button->setDefaultAction(mode);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    buttons->addWidget(button);
    // A button does not hide with its action.
    connect(
        mode, &QAction::changed, button, [mode, button] { button->setVisible(mode->isVisible()); });
  }
  row_->addWidget(chooser_);
  row_->addWidget(status_, 1);
  row_->addWidget(busy_);
  row_->addStretch();
  row_->addLayout(buttons);
}

void InspectBar::addControls(QWidget& controls) {
  controls_ << &controls;
  row_->insertWidget(row_->indexOf(chooser_) + 1, &controls);
  controls.hide();
}

void InspectBar::showControls(const QWidget* controls) {
  chooser_->setVisible(!controls);
  status_->setVisible(!controls);
  for (QWidget* each : controls_) each->setVisible(each == controls);
}

void InspectBar::setStatus(const QString& text, bool isLive) {
  status_->setText(text);
  setRole(*status_, isLive ? u"heading"_s : u"secondary"_s);
}

void InspectBar::setBusy(bool isBusy) {
  busy_->setVisible(isBusy);
}

}  // namespace lambda
