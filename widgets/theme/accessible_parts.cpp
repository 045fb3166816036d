#include "widgets/theme/accessible_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QAccessibleWidget>
#include <QPointer>
#include <QWidget>

namespace lambda {

namespace {

/// A child of the view that keeps what describeParts() was given.
class PartsKeeper : public QObject {
 public:
  PartsKeeper(QWidget& view, AccessibleParts given, QAccessible::Role its)
      : QObject(&view), parts(std::move(given)), role(its) {}

  const AccessibleParts parts;
  const QAccessible::Role role;
};

PartsKeeper* keeperOf(const QObject& view) {
  for (QObject* child : view.children()) {
    if (auto* keeper = dynamic_cast<PartsKeeper*>(child)) return keeper;
  }
  return nullptr;
}

class PartInterface : public QAccessibleInterface {
 public:
  PartInterface(QWidget& view, PartsKeeper& keeper, int index)
      : view_(&view), keeper_(&keeper), index_(index) {}

  bool isValid() const override { return view_ && keeper_ && index_ < keeper_->parts.count(); }

  QObject* object() const override { return nullptr; }

  QAccessibleInterface* parent() const override {
    return QAccessible::queryAccessibleInterface(view_);
  }

  QAccessibleInterface* child(int /*index*/) const override { return nullptr; }

  QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }

  int childCount() const override { return 0; }

  int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }

  QString text(QAccessible::Text kind) const override {
    if (!isValid()) return {};
    if (kind == QAccessible::Name) return keeper_->parts.part(index_).name;
    if (kind == QAccessible::Value || kind == QAccessible::Description)
      return keeper_->parts.part(index_).value;
    return {};
  }

  void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}

  QRect rect() const override {
    if (!isValid()) return {};
    const QRect place = keeper_->parts.part(index_).place;
    const QRect shown = place.isEmpty() ? view_->rect() : place;
    return {view_->mapToGlobal(shown.topLeft()), shown.size()};
  }

  QAccessible::Role role() const override { return QAccessible::ListItem; }

  QAccessible::State state() const override {
    QAccessible::State state;
    state.readOnly = true;
    state.invisible = !view_ || !view_->isVisible();
    state.selectable = true;
    state.selected = isValid() && keeper_->parts.part(index_).isSelected;
    return state;
  }

 private:
  QPointer<QWidget> view_;
  QPointer<PartsKeeper> keeper_;
  int index_;
};

class ViewInterface : public QAccessibleWidget {
 public:
  ViewInterface(QWidget& view, PartsKeeper& keeper)
      : QAccessibleWidget(&view, keeper.role), keeper_(keeper) {}

  ~ViewInterface() override {
    for (const QAccessible::Id id : parts_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override {
    return QAccessibleWidget::childCount() + keeper_.parts.count();
  }

  QAccessibleInterface* child(int index) const override {
    const int widgets = QAccessibleWidget::childCount();
    return index < widgets ? QAccessibleWidget::child(index) : partAt(index - widgets);
  }

  int indexOfChild(const QAccessibleInterface* child) const override {
    const auto found =
        std::ranges::find(parts_, QAccessible::uniqueId(const_cast<QAccessibleInterface*>(child)));
    if (found == parts_.end()) return QAccessibleWidget::indexOfChild(child);
    return QAccessibleWidget::childCount() + static_cast<int>(found - parts_.begin());
  }

  QAccessibleInterface* childAt(int x, int y) const override {
    if (QAccessibleInterface* child = QAccessibleWidget::childAt(x, y)) return child;
    for (int index = 0; index < keeper_.parts.count(); ++index) {
      QAccessibleInterface* part = partAt(index);
      if (part && part->rect().contains(x, y)) return part;
    }
    return nullptr;
  }

 private:
  QAccessibleInterface* partAt(int index) const {
    if (index < 0 || index >= keeper_.parts.count()) return nullptr;
    while (static_cast<int>(parts_.size()) <= index) {
      const int next = static_cast<int>(parts_.size());
      parts_.push_back(
          QAccessible::registerAccessibleInterface(new PartInterface(*widget(), keeper_, next)));
    }
    return QAccessible::accessibleInterface(parts_[static_cast<std::size_t>(index)]);
  }

  PartsKeeper& keeper_;  ///< Lives as long as the widget, and so longer than this.
  mutable std::vector<QAccessible::Id> parts_;
};

QAccessibleInterface* makeInterface(const QString& /*className*/, QObject* object) {
  if (!object || !object->isWidgetType()) return nullptr;
  PartsKeeper* keeper = keeperOf(*object);
  return keeper ? new ViewInterface(static_cast<QWidget&>(*object), *keeper) : nullptr;
}

}  // namespace

void describeParts(QWidget& view, AccessibleParts parts, QAccessible::Role role) {
  static const bool isInstalled = [] {
    QAccessible::installFactory(makeInterface);
    return true;
  }();
  Q_UNUSED(isInstalled);
  new PartsKeeper(view, std::move(parts), role);
}

void describeLines(QWidget& view, std::function<QStringList()> lines) {
  describeParts(view,
                {.count = [lines] { return static_cast<int>(lines().size()); },
                 .part =
                     [lines](int index) {
                       return AccessiblePart{lines().value(index), {}};
                     }});
}

}  // namespace lambda
