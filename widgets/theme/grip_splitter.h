#pragma once

#include <QSplitter>

namespace lambda {

/// A splitter whose handles one sees and can take hold of: a hairline with a short grip in its
/// middle, several pixels wide, in the accent while the pointer is on it. A double click asks for
/// the standard sizes.
class GripSplitter : public QSplitter {
  Q_OBJECT

 public:
  explicit GripSplitter(Qt::Orientation orientation, QWidget* parent = nullptr);

 Q_SIGNALS:
  void resetRequested();

 protected:
  QSplitterHandle* createHandle() override;
};

}  // namespace lambda
