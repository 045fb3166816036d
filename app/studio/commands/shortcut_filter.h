#pragma once

#include <QElapsedTimer>
#include <QObject>

class QKeyEvent;

namespace lambda {

/// Decides between shortcuts and the widget that has the keyboard, for the whole application:
/// - A single key, such as L or Del, is not a shortcut while a menu or another popup is open, or
///   where it searches in a combo box.
/// - Return, Enter and Space choose the marked entry of an open combo box.
/// - Undo and redo belong to a text field only while it has typing to undo or redo; otherwise they
///   belong to the page.
class ShortcutFilter : public QObject {
  Q_OBJECT

 public:
  explicit ShortcutFilter(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void passToComboBox(QObject& watched, const QKeyEvent& key);
  bool isUsedUp(const QKeyEvent& key);

  QElapsedTimer sinceTyped_;  ///< Since a key searched in an open list.
  bool isPassing_ = false;
  int usedUp_ = 0;  ///< The key whose press has no further use; 0 = none.
};

}  // namespace lambda
