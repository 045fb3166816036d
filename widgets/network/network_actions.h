#pragma once

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;

namespace lambda {

class NetworkEditor;

/// What can be done in a NetworkEditor, as actions of it: their keys work while it has the focus,
/// those of widelyUsed() also while another widget has it to which they were added. They are
/// enabled while they make sense for the selection.
class NetworkActions : public QObject {
  Q_OBJECT

 public:
  /// A child of the editor.
  explicit NetworkActions(NetworkEditor& editor);

  /// For a menu, null pointers are separators.
  QList<QAction*> editing() const;

  /// The tools that a drag works with: one of them is checked.
  QList<QAction*> tools() const;

  /// Those with a letter or a sign as their key, for the page around the editor.
  QList<QAction*> widelyUsed() const;

  QList<QAction*> turnInto;  ///< One a kind of mixer, as in kMixerTraits.
  QAction* turnIntoNext;
  QAction* addBlock;
  QAction* removeBlock;
  QAction* addStage;
  QAction* remove;
  QAction* moveLeft;
  QAction* moveRight;
  QAction* moveUp;
  QAction* moveDown;
  QAction* selectAll;
  QAction* selectTool;
  QList<QAction*> paint;  ///< One a kind of mixer.

 private:
  template <class Verb>
  QAction* make(const QString& text, const QString& keys, const QString& tip, const Verb& verb);
  void makeTools();
  void updateEnabled();

  NetworkEditor& editor_;
};

}  // namespace lambda
