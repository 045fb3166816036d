#include <QAction>
#include <QFrame>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "app/design/design_page.h"
#include "app/design/totals/epoch_time.h"
#include "app/design/totals/totals_bar.h"
#include "app/session/documents/document_actions.h"
#include "widgets/export/export_menu.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Widgets that stay together when the bar wraps into another line.
QWidget* makeGroup(const QList<QWidget*>& widgets, bool isFirst, QWidget* parent) {
  auto* group = new QWidget(parent);
  auto* layout = makeBareLayout<QHBoxLayout>(group, 4);
  if (!isFirst) {
    QFrame* line = makeLine(Qt::Vertical, group);
    line->setFixedHeight(qRound(20 * textScale()));
    layout->addWidget(line);
    layout->addSpacing(4);
  }
  for (QWidget* widget : widgets) layout->addWidget(widget);
  return group;
}

}  // namespace

void DesignPage::makeActions() {
  templates_ = new QAction(u"New from template …"_s, this);
  templates_->setIconText(u"Templates"_s);
  templates_->setShortcut(QKeySequence::New);
  templates_->setToolTip(u"Start from a template"_s);
  templates_->setCheckable(true);
  connect(templates_, &QAction::triggered, this, &DesignPage::showTemplates);

  train_ = new QAction(u"Train this network"_s, this);
  train_->setIconText(u"Train"_s);
  train_->setShortcut(QKeySequence(u"Ctrl+Return"_s));
  train_->setToolTip(u"Go to data and recipe, and start"_s);
  connect(train_, &QAction::triggered, this, &DesignPage::trainRequested);

  measure_ = new QAction(u"Measure an epoch on this machine"_s, this);
  measure_->setShortcut(QKeySequence(u"Ctrl+M"_s));
  measure_->setToolTip(u"Time training steps of this network"_s);
  connect(measure_, &QAction::triggered, this, [this] { totals_->epochTime().measure(); });
  export_ = new QAction(u"Export the network …"_s, this);
  export_->setShortcut(QKeySequence(u"Ctrl+Shift+E"_s));
  export_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  export_->setToolTip(u"Write the network, its configuration or its layers for other programs"_s);
  connect(export_, &QAction::triggered, this, &DesignPage::askForFile);
  duplicate_ = new QAction(u"Duplicate with another mixer …"_s, this);
  duplicate_->setShortcut(QKeySequence(u"Ctrl+Shift+D"_s));
  duplicate_->setToolTip(u"Prepare runs that differ from this one in their mixers alone"_s);
  connect(duplicate_, &QAction::triggered, this, &DesignPage::duplicate);
  addActions({templates_, train_, duplicate_, measure_, export_});
  addActions(editor_->actions().widelyUsed());
}

QList<QAction*> DesignPage::pageActions() const {
  const NetworkActions& network = editor_->actions();
  return QList<QAction*>{templates_,
                         train_,
                         duplicate_,
                         measure_,
                         export_,
                         nullptr,
                         network.selectTool,
                         network.paintMenu->menuAction(),
                         nullptr} +
         network.editing();
}

QToolButton* DesignPage::makeButton(QAction* action, const QString& iconName) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setProperty(kRole, u"quiet"_s);
  button->setFocusPolicy(Qt::TabFocus);
  button->setToolButtonStyle(iconName.isEmpty() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
  button->setAccessibleName(action->text());
  if (!iconName.isEmpty()) {
    // A menu in which only some entries have an icon is hard to read.
    action->setIconVisibleInMenu(false);
    icons_.emplace_back(action, iconName);
  }
  return button;
}

/// The tools that paint, one per kind of mixer: the last one on the button, all in its menu.
QToolButton* DesignPage::makePaintButton() {
  const NetworkActions& network = editor_->actions();
  QToolButton* button = makeButton(network.paint.at(mixerKindOf<LambdaMixer>()), {});
  button->setMenu(network.paintMenu);
  button->setPopupMode(QToolButton::MenuButtonPopup);
  connect(editor_, &NetworkEditor::toolChanged, button, [button, &network](EditTool tool) {
    if (!tool.paints) return;
    QAction* paint = network.paint.at(static_cast<qsizetype>(*tool.paints));
    button->setDefaultAction(paint);
    button->setAccessibleName(paint->text());
  });
  return button;
}

QToolButton* DesignPage::makeExportButton() {
  auto* button = new QToolButton(this);
  auto* menu = new QMenu(button);
  menu->addAction(export_);
  menu->addSeparator();
  addExportActions(*menu, *editor_, *editor_);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  auto* action = new QAction(u"Export"_s, button);
  action->setToolTip(u"Export the network or its picture"_s);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  button->setProperty(kRole, u"quiet"_s);
  button->setAccessibleName(action->text());
  icons_.emplace_back(action, u"export"_s);
  return button;
}

QWidget* DesignPage::makeToolBar() {
  auto* bar = new QFrame(this);
  bar->setProperty(kRole, u"panel"_s);
  auto* layout = new FlowLayout(8, bar);
  layout->setContentsMargins(12, 8, 16, 8);
  const auto addGroup = [&](const QList<QWidget*>& widgets) {
    layout->addWidget(makeGroup(widgets, layout->count() == 0, bar));
  };
  // In their order on screen, which is that of the Tab key.
  addGroup({makeButton(templates_, {}),
            makeButton(documentActions_.openAction(), u"open"_s),
            makeButton(documentActions_.saveAction(), u"save"_s)});
  addGroup({makeButton(documentActions_.undoAction(), u"undo"_s),
            makeButton(documentActions_.redoAction(), u"redo"_s)});
  const NetworkActions& network = editor_->actions();
  addGroup({makeButton(network.selectTool, {}), makePaintButton()});
  // The text follows a plus sign.
  network.addBlock->setIconText(u"Block"_s);
  network.addStage->setIconText(u"Stage"_s);
  QList<QWidget*> edits;
  for (QAction* action : {network.addBlock, network.addStage}) {
    QToolButton* button = makeButton(action, u"plus"_s);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    edits << button;
  }
  edits << makeButton(network.remove, u"trash"_s);
  addGroup(edits);
  QToolButton* exporting = makeExportButton();
  trainButton_ = new QPushButton(train_->iconText(), bar);
  trainButton_->setProperty(kRole, u"primary"_s);
  trainButton_->setToolTip(train_->toolTip());
  connect(trainButton_, &QPushButton::clicked, train_, &QAction::trigger);
  layout->beginRight();
  layout->addWidget(makeGroup({exporting, trainButton_}, true, bar));
  return bar;
}

void DesignPage::updateIcons() {
  for (const auto& [action, name] : icons_) action->setIcon(icon(name, *this));
  trainButton_->setIcon(icon(u"play"_s, colorsOf(*this).accentText));
}

}  // namespace lambda
