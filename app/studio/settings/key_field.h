#pragma once

#include <QKeySequenceEdit>

namespace lambda {

/// A field that takes one combination of keys as soon as it is pressed, without waiting for a
/// second one.
class KeyField : public QKeySequenceEdit {
  Q_OBJECT

 public:
  using QKeySequenceEdit::QKeySequenceEdit;

 Q_SIGNALS:
  void pressed(const QKeySequence& keys);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace lambda
