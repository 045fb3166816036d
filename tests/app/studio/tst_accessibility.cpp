#include <functional>
#include <set>

#include <QAbstractButton>
#include <QAccessible>
#include <QButtonGroup>
#include <QLineEdit>
#include <QListWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include "app/inspect/inspect_page.h"
#include "app/runs/run_library.h"
#include "app/studio/settings/preferences_window.h"
#include "tests/support/studio_window.h"
#include "widgets/export/exportable.h"
#include "widgets/network/network_editor.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Interface = QAccessibleInterface;

QString classOf(const Interface& node) {
  return node.object() ? QString::fromLatin1(node.object()->metaObject()->className()) : u"part"_s;
}

/// "QFrame > QToolButton", for a complaint.
QString placeOf(Interface& node) {
  QStringList path;
  for (Interface* at = &node; at && path.size() < 5; at = at->parent()) path.prepend(classOf(*at));
  return path.join(u" > "_s);
}

/// Calls for every visible node of the tree.
void visit(Interface& node, const std::function<void(Interface&)>& call) {
  if (node.state().invisible) return;
  call(node);
  for (int i = 0; i < node.childCount(); ++i) {
    if (Interface* child = node.child(i)) visit(*child, call);
  }
}

bool needsName(const Interface& node) {
  switch (node.role()) {
    case QAccessible::PushButton:
    case QAccessible::ButtonMenu:
    case QAccessible::ButtonDropDown:
    case QAccessible::CheckBox:
    case QAccessible::RadioButton:
    case QAccessible::ComboBox:
    case QAccessible::SpinBox:
    case QAccessible::Slider:
    case QAccessible::EditableText:
    case QAccessible::PageTab:
    case QAccessible::List:
    case QAccessible::Table:
    case QAccessible::Tree:
    case QAccessible::Graphic:
    case QAccessible::Chart:
    case QAccessible::ListItem:
    case QAccessible::ProgressBar:
      return true;
    default:
      return false;
  }
}

/// The parts that Qt puts into its own controls, which carry the name.
bool isInsideControl(const Interface& node) {
  const auto* widget = qobject_cast<QWidget*>(node.object());
  const QWidget* parent = widget ? widget->parentWidget() : nullptr;
  if (!parent) return false;
  if (parent->inherits("QLineEdit") || parent->inherits("QAbstractSpinBox") ||
      parent->inherits("QComboBox") || parent->inherits("QKeySequenceEdit") ||
      parent->inherits("QTabBar") || widget->inherits("QHeaderView"))
    return true;
  return widget->inherits("QScrollBar") || parent->inherits("QAbstractScrollArea");
}

QString nameOf(const QWidget& widget) {
  const QString name = widget.accessibleName();
  const QString text = widget.property("text").toString();
  return QString::fromLatin1(widget.metaObject()->className()) + u" “"_s +
         (name.isEmpty() ? text : name) + u"”"_s;
}

bool takesTab(const QWidget& widget) {
  return widget.isVisible() && widget.isEnabled() && !widget.focusProxy() &&
         (widget.focusPolicy() & Qt::TabFocus) && !widget.visibleRegion().isEmpty();
}

/// Fails where a visible control below `root` has no name.
void expectNames(Interface& root) {
  QStringList complaints;
  int named = 0;
  visit(root, [&](Interface& node) {
    if (!needsName(node) || isInsideControl(node)) return;
    if (node.text(QAccessible::Name).trimmed().isEmpty()) {
      complaints << placeOf(node);
    } else {
      ++named;
    }
  });
  QVERIFY2(complaints.isEmpty(), qPrintable(u"\n"_s + complaints.join(u'\n')));
  QVERIFY2(named > 5, qPrintable(QString::number(named)));
}

}  // namespace

/// What assistive technologies and the keyboard find in the real window.
class TestAccessibility : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();

  void cleanupTestCase() { studio_.reset(); }

  void everyControlHasAName_data() { pages(); }

  void everyControlHasAName();

  void paintedViewsHaveARoleAndParts_data() { pages(); }

  void paintedViewsHaveARoleAndParts();

  void tabReachesEveryControlAndLeavesIt_data() { pages(); }

  void tabReachesEveryControlAndLeavesIt();

  void everyButtonHasAKey_data() { pages(); }

  void everyButtonHasAKey();
  void partsTellWhatIsPainted();
  void everyControlOfThePreferencesHasAName();

 private:
  static void pages();
  void goTo(int page, int tab, InspectModeKind mode);
  Interface& root();

  std::unique_ptr<StudioWindow> studio_;
};

void TestAccessibility::initTestCase() {
  QApplication::setOrganizationName(u"lambda-studio-accessibility-tests"_s);
  QAccessible::setActive(true);
  studio_ = std::make_unique<StudioWindow>(QSize(1440, 900));
  RunConfig config = studio_->document().config();
  for (const int epochs : {2, 3}) {
    config.recipe.epochs = epochs;
    studio_->training().start(config, studio_->workspaces().library().folder());
    QTRY_COMPARE(studio_->training().state(), SessionState::idle);
  }
  QTRY_COMPARE(studio_->workspaces().library().runs().size(), std::size_t{2});
}

void TestAccessibility::pages() {
  QTest::addColumn<int>("page");
  QTest::addColumn<int>("tab");
  QTest::addColumn<InspectModeKind>("mode");
  const char* names[] = {"welcome", "design", "train", "inspect", "runs"};
  const auto row = [](const char* name, int page, int tab, InspectModeKind mode) {
    QTest::addRow("%s, tab %d", name, tab) << page << tab << mode;
  };
  for (int page = 0; page < 5; ++page) row(names[page], page, 0, InspectModeKind::image);
  row("train", 2, 1, InspectModeKind::image);
  for (int tab = 1; tab < 4; ++tab) row("inspect", 3, tab, InspectModeKind::image);
  row("inspect, epochs", 3, 0, InspectModeKind::epochs);
  row("inspect, compare", 3, 0, InspectModeKind::compare);
  for (int tab = 1; tab < 6; ++tab) row("runs", 4, tab, InspectModeKind::image);
}

void TestAccessibility::goTo(int page, int tab, InspectModeKind mode) {
  const auto workspace = static_cast<Workspace>(page);
  studio_->workspaces().goTo(workspace);
  if (auto* inspect = qobject_cast<InspectPage*>(studio_->workspaces().currentWidget())) {
    inspect->setMode(mode);
  }
  for (auto* table : studio_->workspaces().currentWidget()->findChildren<QTableView*>()) {
    if (table->isVisible() && table->model()->rowCount() > 0 &&
        !table->selectionModel()->hasSelection())
      table->selectRow(0);
  }
  for (auto* bar : studio_->workspaces().currentWidget()->findChildren<QTabBar*>()) {
    if (bar->isVisible() && bar->count() > tab) bar->setCurrentIndex(tab);
  }
  // Answers of the inspection and the library arrive.
  QTest::qWait(300);
}

Interface& TestAccessibility::root() {
  return *QAccessible::queryAccessibleInterface(&**studio_);
}

void TestAccessibility::everyControlHasAName() {
  QFETCH(int, page);
  QFETCH(int, tab);
  QFETCH(InspectModeKind, mode);
  goTo(page, tab, mode);
  expectNames(root());
}

void TestAccessibility::paintedViewsHaveARoleAndParts() {
  QFETCH(int, page);
  QFETCH(int, tab);
  QFETCH(InspectModeKind, mode);
  goTo(page, tab, mode);
  QStringList complaints;
  visit(root(), [&](Interface& node) {
    const auto* widget = qobject_cast<QWidget*>(node.object());
    const auto* exportable = dynamic_cast<const Exportable*>(widget);
    if (!widget || !exportable) return;
    if (node.role() == QAccessible::Client) complaints << u"no role: "_s + placeOf(node);
    if (exportable->toCsv().isEmpty()) return;
    int parts = 0;
    for (int i = 0; i < node.childCount(); ++i) {
      Interface* child = node.child(i);
      if (child->object()) continue;
      ++parts;
      if (child->text(QAccessible::Name).isEmpty()) complaints << u"no name: "_s + placeOf(*child);
      if (child->rect().isEmpty()) complaints << u"no place: "_s + placeOf(*child);
      if (node.indexOfChild(child) != i) complaints << u"no index: "_s + placeOf(*child);
    }
    if (parts == 0) complaints << u"no parts: "_s + placeOf(node);
  });
  complaints.removeDuplicates();
  QVERIFY2(complaints.isEmpty(), qPrintable(u"\n"_s + complaints.join(u'\n')));
}

void TestAccessibility::tabReachesEveryControlAndLeavesIt() {
  QFETCH(int, page);
  QFETCH(int, tab);
  QFETCH(InspectModeKind, mode);
  goTo(page, tab, mode);
  QWidget& window = **studio_;
  std::set<const QWidget*> reached;
  QStringList order;
  QStringList jumps;
  const QWidget* last = nullptr;
  for (int step = 0; step < 400; ++step) {
    QWidget* focused = QApplication::focusWidget();
    QVERIFY(focused);
    if (!reached.insert(focused).second) break;
    order << nameOf(*focused);
    QTest::keyClick(focused, Qt::Key_Tab);
    // A text with several links has one after the other.
    for (int link = 0; link < 50 && focused->inherits("QLabel"); ++link) {
      if (QApplication::focusWidget() != focused) break;
      QTest::keyClick(focused, Qt::Key_Tab);
    }
    last = QApplication::focusWidget();
    QVERIFY2(last != focused, qPrintable(u"Tab does not leave "_s + nameOf(*focused)));
    const bool isUp = last->parentWidget() == focused->parentWidget() &&
                      last->geometry().bottom() < focused->geometry().top();
    if (isUp && !reached.contains(last)) jumps << nameOf(*focused) + u" → "_s + nameOf(*last);
  }
  QStringList missed;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->window() == &window && takesTab(*widget) && !reached.contains(widget))
      missed << nameOf(*widget);
  }
  QVERIFY2(missed.isEmpty(),
           qPrintable(u"\n"_s + missed.join(u'\n') + u"\nreached: "_s + order.join(u", "_s)));
  QVERIFY2(jumps.isEmpty(), qPrintable(u"\n"_s + jumps.join(u'\n')));
}

void TestAccessibility::everyButtonHasAKey() {
  QFETCH(int, page);
  QFETCH(int, tab);
  QFETCH(InspectModeKind, mode);
  goTo(page, tab, mode);
  QStringList complaints;
  const QList<QAction*> inMenus = (*studio_)->actionsOfMenus();
  for (const auto* button : (*studio_)->findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || !button->isEnabled() || button->inherits("QLineEditIconButton") ||
        button->inherits("QTableCornerButton"))
      continue;
    const auto* tool = qobject_cast<const QToolButton*>(button);
    const QAction* action = tool ? tool->defaultAction() : nullptr;
    if (action && inMenus.contains(action)) continue;
    const auto* group = button->group();
    const bool isInGroup = (group && group->exclusive()) || button->autoExclusive();
    if (!(button->focusPolicy() & Qt::TabFocus) && !isInGroup) complaints << nameOf(*button);
  }
  complaints.removeDuplicates();
  QVERIFY2(complaints.isEmpty(), qPrintable(u"\n"_s + complaints.join(u'\n')));
}

void TestAccessibility::partsTellWhatIsPainted() {
  goTo(1, 0, InspectModeKind::image);
  auto* editor = (*studio_)->findChild<NetworkEditor*>();
  Interface* network = QAccessible::queryAccessibleInterface(editor);
  QVERIFY(network);
  QStringList names;
  for (int i = 0; i < network->childCount(); ++i) {
    if (!network->child(i)->object()) names << network->child(i)->text(QAccessible::Name);
  }
  QCOMPARE(names.front(), u"Input"_s);
  QCOMPARE(names.back(), u"Head"_s);
  QVERIFY(names.filter(u"block 2"_s).size() > 0);
  const int before = network->childCount();
  editor->setSelection({blockPart(1, 1)});
  int selected = 0;
  for (int i = 0; i < before; ++i) selected += network->child(i)->state().selected ? 1 : 0;
  QCOMPARE(selected, 1);
  Architecture smaller = editor->architecture();
  smaller.stages.pop_back();
  editor->setArchitecture(smaller);
  QVERIFY(network->childCount() < before);
}

void TestAccessibility::everyControlOfThePreferencesHasAName() {
  for (QAction* action : (*studio_)->actionsOfMenus()) {
    if (action->text().startsWith(u"Preferences"_s)) action->trigger();
  }
  auto* preferences = (*studio_)->findChild<PreferencesWindow*>();
  QVERIFY(preferences && preferences->isVisible());
  auto* sections = preferences->findChild<QListWidget*>();
  QVERIFY(sections && sections->count() > 3);
  for (int section = 0; section < sections->count(); ++section) {
    sections->setCurrentRow(section);
    expectNames(*QAccessible::queryAccessibleInterface(preferences));
  }
  preferences->close();
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestAccessibility)

#include "tst_accessibility.moc"
