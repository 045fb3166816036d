#include "app/studio/settings/key_field.h"

namespace lambda {

void KeyField::keyPressEvent(QKeyEvent* event) {
  QKeySequenceEdit::keyPressEvent(event);
  if (keySequence().isEmpty()) return;
  const QKeySequence first(keySequence()[0]);
  // Ends the recording.
  setKeySequence({});
  setKeySequence(first);
  Q_EMIT pressed(first);
}

}  // namespace lambda
