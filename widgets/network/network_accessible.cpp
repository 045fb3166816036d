#include "widgets/network/network_accessible.h"

#include <map>
#include <optional>
#include <vector>

#include <QAccessibleWidget>

#include "widgets/network/network_editor.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/network/parts/operation_text.h"

namespace lambda {

namespace {

/// A part, or an operation of an opened block.
struct Child {
  PartId part;
  int operation = -1;  ///< -1 = the part itself.

  auto operator<=>(const Child&) const = default;
};

class ChildInterface : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  ChildInterface(NetworkEditor& editor, const Child& child) : editor_(editor), child_(child) {}

  bool isValid() const override { return contains(editor_.architecture(), child_.part); }

  QObject* object() const override { return nullptr; }

  QAccessibleInterface* childAt(int, int) const override { return nullptr; }

  QAccessibleInterface* parent() const override {
    return QAccessible::queryAccessibleInterface(&editor_);
  }

  QAccessibleInterface* child(int) const override { return nullptr; }

  int childCount() const override { return 0; }

  int indexOfChild(const QAccessibleInterface*) const override { return -1; }

  QString text(QAccessible::Text kind) const override {
    if (!isValid()) return {};
    if (child_.operation >= 0) return kind == QAccessible::Name ? operationText() : QString();
    if (kind == QAccessible::Name) return selectionText(editor_.architecture(), {child_.part});
    if (kind == QAccessible::Description) {
      return spokenCost(editor_.costs().parts.at(child_.part));
    }
    return {};
  }

  void setText(QAccessible::Text, const QString&) override {}

  QRect rect() const override {
    const QRectF box = child_.operation < 0
                           ? editor_.boxOf(child_.part)
                           : editor_.boxOf(OperationMark{child_.part, child_.operation});
    return box.toRect().translated(editor_.viewport()->mapToGlobal(QPoint()));
  }

  QAccessible::Role role() const override { return QAccessible::ListItem; }

  QAccessible::State state() const override {
    QAccessible::State state;
    state.selectable = true;
    state.focusable = true;
    state.selected = child_.operation < 0 && editor_.selection().contains(child_.part);
    state.focused = editor_.hasFocus() && isCurrent();
    if (child_.operation < 0 && child_.part.kind == PartKind::block) {
      state.expandable = true;
      state.expanded = editor_.isOpen(child_.part);
    }
    state.invalid = !isValid();
    return state;
  }

  void* interface_cast(QAccessible::InterfaceType type) override {
    if (type == QAccessible::ActionInterface) {
      return static_cast<QAccessibleActionInterface*>(this);
    }
    return nullptr;
  }

  QStringList actionNames() const override { return {pressAction()}; }

  void doAction(const QString& name) override {
    if (name == pressAction() && isValid()) editor_.setSelection({child_.part});
  }

  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  bool isCurrent() const {
    const std::optional<OperationMark>& operation = editor_.operation();
    if (child_.operation < 0) return !operation && editor_.current() == child_.part;
    return operation == OperationMark{child_.part, child_.operation};
  }

  QString operationText() const {
    const std::vector<Operation> operations = editor_.operationsIn(child_.part);
    const auto index = static_cast<std::size_t>(child_.operation);
    return index < operations.size() ? spokenText(operations[index]) : QString();
  }

  NetworkEditor& editor_;
  Child child_;
};

class NetworkInterface : public QAccessibleWidget {
 public:
  explicit NetworkInterface(NetworkEditor& editor)
      : QAccessibleWidget(&editor, QAccessible::List), editor_(editor) {}

  ~NetworkInterface() override {
    for (const auto& [child, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return static_cast<int>(children().size()); }

  QAccessibleInterface* child(int index) const override {
    const std::vector<Child> all = children();
    if (index < 0 || index >= std::ssize(all)) return nullptr;
    return interfaceOf(all[static_cast<std::size_t>(index)]);
  }

  int indexOfChild(const QAccessibleInterface* child) const override {
    const std::vector<Child> all = children();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (interfaceOf(all[i]) == child) return static_cast<int>(i);
    }
    return -1;
  }

  QAccessibleInterface* childAt(int x, int y) const override {
    QAccessibleInterface* found = nullptr;
    for (const Child& child : children()) {
      QAccessibleInterface* shown = interfaceOf(child);
      // An operation lies within its block, and comes after it.
      if (shown->rect().contains(x, y)) found = shown;
    }
    return found;
  }

  QAccessibleInterface* focusChild() const override {
    for (const Child& child : children()) {
      if (interfaceOf(child)->state().focused) return interfaceOf(child);
    }
    return QAccessibleWidget::focusChild();
  }

 private:
  std::vector<Child> children() const {
    std::vector<Child> all;
    for (const auto& [part, cost] : editor_.costs().parts) {
      all.push_back({part});
      if (!editor_.isOpen(part)) continue;
      const auto count = static_cast<int>(editor_.operationsIn(part).size());
      for (int i = 0; i < count; ++i) all.push_back({part, i});
    }
    return all;
  }

  QAccessibleInterface* interfaceOf(const Child& child) const {
    const auto [place, isNew] = ids_.try_emplace(child, 0);
    if (isNew) {
      place->second = QAccessible::registerAccessibleInterface(new ChildInterface(editor_, child));
    }
    return QAccessible::accessibleInterface(place->second);
  }

  NetworkEditor& editor_;
  mutable std::map<Child, QAccessible::Id> ids_;
};

}  // namespace

QAccessibleInterface* accessibleNetwork(const QString&, QObject* object) {
  auto* editor = qobject_cast<NetworkEditor*>(object);
  return editor ? new NetworkInterface(*editor) : nullptr;
}

}  // namespace lambda
