#pragma once

#include <QSplitter>

namespace lambda {

/// A splitter with visible handles: a hairline with a short grip in its middle, several pixels
/// wide, in the accent colour while the pointer is on it. A double click restores the standard
/// sizes, or requests them where there are none.
class GripSplitter : public QSplitter {
  Q_OBJECT

 public:
  explicit GripSplitter(Qt::Orientation orientation, QWidget* parent = nullptr);

  /// Sets the sizes of the widgets, which must have been added. Space beyond their sum goes to
  /// widgets with a stretch factor.
  void setStandardSizes(const QList<int>& sizes);

  /// Restores a state of saveState(); the standard sizes where it is empty or does not fit.
  void restoreLayout(const QByteArray& state);

 Q_SIGNALS:
  void resetRequested();

 protected:
  QSplitterHandle* createHandle() override;

 private:
  void applyStandardSizes();

  QList<int> standardSizes_;
};

}  // namespace lambda
