#pragma once

#include <QObject>

namespace lambda {

/// Adds the current shortcut of its action to the tooltip of every tool button of the application.
class ShortcutTips : public QObject {
  Q_OBJECT

 public:
  explicit ShortcutTips(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace lambda
