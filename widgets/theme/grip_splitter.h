#pragma once

#include <QSplitter>

namespace lambda {

/// A splitter with visible handles: a hairline with a short grip in its middle, several pixels
/// wide, in the accent colour while the pointer is on it. A double click requests the standard
/// sizes.
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
