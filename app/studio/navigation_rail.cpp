#include "app/studio/navigation_rail.h"

#include <algorithm>

#include <QAction>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kWidth = 76;
constexpr int kMargin = 6;
constexpr int kPadding = 5;
constexpr int kIconSide = 22;

}  // namespace

NavigationRail::NavigationRail(QWidget* parent) : QFrame(parent) {
  setProperty(kRole, u"panel"_s);
  setAccessibleName(u"Workspaces"_s);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, 8, kMargin, 8);
  layout->setSpacing(4);
  layout->addStretch();
  updateLooks();
  onChange(
      *this, {QEvent::PaletteChange, QEvent::ApplicationFontChange}, [this] { updateLooks(); });
}

void NavigationRail::addWorkspace(QAction* action, const QString& iconName) {
  auto* button = makeButton(action, iconName);
  static_cast<QVBoxLayout*>(layout())->insertWidget(workspaces_++, button);
}

void NavigationRail::addBottomAction(QAction* action, const QString& iconName) {
  layout()->addWidget(makeButton(action, iconName));
}

QWidget* NavigationRail::bottomButton() const {
  return entries_.size() > static_cast<std::size_t>(workspaces_) ? entries_.back().button : nullptr;
}

QToolButton* NavigationRail::makeButton(QAction* action, const QString& iconName) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  button->setProperty(kRole, u"rail"_s);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  entries_.push_back({action, iconName, button});
  updateLooks();
  return button;
}

void NavigationRail::updateLooks() {
  // Icons and margins need to grow less than text.
  const double scale = 1 + (textScale() - 1) / 2;
  const QFontMetrics metrics(bodyFont());
  int width = kWidth;
  for (const Entry& entry : entries_) {
    const int name = metrics.horizontalAdvance(entry.action->iconText());
    width = std::max(width, name + 2 * (kMargin + kPadding));
  }
  setFixedWidth(width);
  for (const Entry& entry : entries_) {
    entry.action->setIcon(icon(entry.iconName, *this));
    entry.button->setIconSize(QSize(kIconSide, kIconSide) * scale);
    entry.button->setMinimumHeight(qRound(56 * scale));
  }
}

}  // namespace lambda
