#pragma once

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;
class QMenu;

namespace lambda {

class NetworkEditor;

/// All commands of a NetworkEditor as its actions. Their keys work while the editor has the focus;
/// those of widelyUsed() also work in other widgets that they are added to. Each is enabled while
/// it makes sense for the selection.
class NetworkActions : public QObject {
  Q_OBJECT

 public:
  /// A child of the editor.
  explicit NetworkActions(NetworkEditor& editor);

  /// The actions of a menu; null pointers are separators. Those of turnInto are in a menu of their
  /// own.
  QList<QAction*> editing() const;

  /// The tools for dragging, of which one is checked.
  QList<QAction*> tools() const;

  /// Actions with a letter or a sign as their key, for the page around the editor.
  QList<QAction*> widelyUsed() const;

  QList<QAction*> turnInto;  ///< One per kind of mixer, in the order of kMixerTraits.
  QAction* open;             ///< Shows the operations of the selected blocks, or hides them.
  QAction* turnIntoNext;
  QAction* addBlock;
  QAction* removeBlock;
  QAction* addStage;
  QAction* remove;
  QAction* cut;
  QAction* copy;
  QAction* paste;
  QAction* duplicate;
  QAction* moveLeft;
  QAction* moveRight;
  QAction* moveUp;
  QAction* moveDown;
  QAction* selectAll;
  QAction* selectTool;
  QList<QAction*> paint;  ///< One per kind of mixer.
  QMenu* turnIntoMenu;    ///< Has all of turnInto.
  QMenu* paintMenu;       ///< Has all of paint.

 private:
  template <class Verb>
  QAction* make(const QString& text, const QString& keys, const QString& tip, const Verb& verb);
  QMenu* makeMenu(const QString& title, const QList<QAction*>& actions);
  void makeTools();
  void updateEnabled();

  NetworkEditor& editor_;
};

}  // namespace lambda
