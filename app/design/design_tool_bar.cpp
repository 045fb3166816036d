#include <QAction>
#include <QFrame>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "app/design/design_page.h"
#include "app/design/epoch_time.h"
#include "app/design/totals_bar.h"
#include "app/session/document_actions.h"
#include "widgets/export/export_menu.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QFrame* makeSeparator(QWidget* parent) {
  auto* line = new QFrame(parent);
  line->setFrameShape(QFrame::VLine);
  line->setFrameShadow(QFrame::Plain);
  line->setFixedHeight(20);
  line->setForegroundRole(QPalette::Mid);
  return line;
}

}  // namespace

void DesignPage::makeActions() {
  templates_ = new QAction(tr("New from template …"), this);
  templates_->setIconText(tr("Templates"));
  templates_->setShortcut(QKeySequence::New);
  templates_->setToolTip(tr("Start from a template (Ctrl+N)"));
  templates_->setCheckable(true);
  connect(templates_, &QAction::triggered, this, &DesignPage::showTemplates);

  train_ = new QAction(tr("Train this network"), this);
  train_->setIconText(tr("Train"));
  train_->setShortcut(QKeySequence(u"Ctrl+Return"_s));
  train_->setToolTip(tr("Go to data and recipe, and start (Ctrl+Return)"));
  connect(train_, &QAction::triggered, this, &DesignPage::trainRequested);

  measure_ = new QAction(tr("Measure an epoch on this machine"), this);
  measure_->setShortcut(QKeySequence(u"Ctrl+M"_s));
  measure_->setToolTip(tr("Time training steps of this network (Ctrl+M)"));
  connect(measure_, &QAction::triggered, this, [this] { totals_->epochTime().measure(); });
  addActions({templates_, train_, measure_});
}

QList<QAction*> DesignPage::pageActions() const {
  QList<QAction*> actions{templates_, train_, measure_, nullptr};
  actions += editor_->actions().tools();
  actions << nullptr;
  actions += editor_->actions().editing();
  return actions;
}

QToolButton* DesignPage::makeButton(QAction* action, const QString& iconName) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setProperty(kRole, u"quiet"_s);
  button->setFocusPolicy(Qt::TabFocus);
  button->setToolButtonStyle(iconName.isEmpty() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
  button->setAccessibleName(action->text());
  if (!iconName.isEmpty()) {
    // A menu in which some have an icon is hard to read.
    action->setIconVisibleInMenu(false);
    icons_.emplace_back(action, iconName);
  }
  return button;
}

QWidget* DesignPage::makeToolBar() {
  auto* bar = new QFrame(this);
  bar->setProperty(kRole, u"panel"_s);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(12, 8, 16, 8);
  layout->setSpacing(4);
  const auto addSeparator = [&] {
    layout->addSpacing(4);
    layout->addWidget(makeSeparator(bar));
    layout->addSpacing(4);
  };
  const NetworkActions& network = editor_->actions();
  layout->addWidget(makeButton(templates_, {}));
  layout->addWidget(makeButton(documentActions_.openAction(), u"open"_s));
  layout->addWidget(makeButton(documentActions_.saveAction(), u"save"_s));
  addSeparator();
  layout->addWidget(makeButton(documentActions_.undoAction(), u"undo"_s));
  layout->addWidget(makeButton(documentActions_.redoAction(), u"redo"_s));
  addSeparator();
  for (QAction* tool : network.tools()) layout->addWidget(makeButton(tool, {}));
  addSeparator();
  for (QAction* action : {network.addBlock, network.addStage}) {
    QToolButton* button = makeButton(action, u"plus"_s);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    layout->addWidget(button);
  }
  layout->addWidget(makeButton(network.remove, u"trash"_s));
  layout->addStretch(1);

  auto* exporting = new QToolButton(bar);
  auto* menu = new QMenu(exporting);
  addExportActions(*menu, *editor_, *editor_);
  exporting->setMenu(menu);
  exporting->setPopupMode(QToolButton::InstantPopup);
  auto* exportAction = new QAction(tr("Export the picture"), exporting);
  exportAction->setToolTip(tr("Export the picture or the table of costs"));
  exporting->setDefaultAction(exportAction);
  exporting->setToolButtonStyle(Qt::ToolButtonIconOnly);
  exporting->setProperty(kRole, u"quiet"_s);
  exporting->setAccessibleName(exportAction->text());
  icons_.emplace_back(exportAction, u"export"_s);
  layout->addWidget(exporting);
  layout->addSpacing(4);

  trainButton_ = new QPushButton(train_->iconText(), bar);
  trainButton_->setProperty(kRole, u"primary"_s);
  trainButton_->setToolTip(train_->toolTip());
  connect(trainButton_, &QPushButton::clicked, train_, &QAction::trigger);
  layout->addWidget(trainButton_);
  return bar;
}

void DesignPage::updateIcons() {
  for (const auto& [action, name] : icons_) action->setIcon(icon(name, *this));
  trainButton_->setIcon(icon(u"play"_s, colorsOf(*this).accentText));
  const QSize size = QSizeF(16 * textScale(), 16 * textScale()).toSize();
  for (QToolButton* button : toolBar_->findChildren<QToolButton*>()) button->setIconSize(size);
  trainButton_->setIconSize(size);
}

}  // namespace lambda
