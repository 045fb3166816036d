#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QSettings;

namespace lambda {

/// A part of a workspace that shows one subject, such as a tab. A workspace makes its panels from a
/// table: a new panel is its header and source, a line there, and a line in CMakeLists.txt.
class Panel : public QWidget {
 public:
  using QWidget::QWidget;

  /// For the page's menu; their keys work on the whole page.
  virtual QList<QAction*> panelActions() const { return {}; }

  /// The choices on the panel.
  virtual void saveLayout(QSettings& /*settings*/) const {}

  virtual void restoreLayout(QSettings& /*settings*/) {}
};

/// Makes a panel for a line of such a table, out of what the page gives its panels.
template <class Base, class Made, class... Context>
Base* makePanel(Context&... context) {
  return new Made(context...);
}

}  // namespace lambda
