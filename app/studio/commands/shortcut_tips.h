#pragma once

#include <QObject>

namespace lambda {

/// Adds the current shortcut of its action to the tooltip of every button of the application: the
/// default action of a tool button, the one that was added to another button.
class ShortcutTips : public QObject {
  Q_OBJECT

 public:
  explicit ShortcutTips(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace lambda
