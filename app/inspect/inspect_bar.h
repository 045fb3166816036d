#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QProgressBar;

namespace lambda {

class ElidedLabel;
class SourceChooser;

/// The bar at the top of the Inspect page: the choice of weights, or the controls of a mode that
/// chooses them itself; what is shown, in words; and the modes.
class InspectBar : public QWidget {
  Q_OBJECT

 public:
  /// A button for each of the `modes`, which outlive the bar.
  explicit InspectBar(const QList<QAction*>& modes, QWidget* parent = nullptr);

  SourceChooser& chooser() { return *chooser_; }

  /// Adds the controls of a mode, at first hidden.
  void addControls(QWidget& controls);

  /// Shows these controls instead of the choice of weights; null = the choice.
  void showControls(const QWidget* controls);

  /// Words about what is shown; large for the network that is being trained.
  void setStatus(const QString& text, bool isLive);

  /// An answer is under way.
  void setBusy(bool isBusy);

 private:
  SourceChooser* chooser_;
  QHBoxLayout* row_;
  QList<QWidget*> controls_;
  ElidedLabel* status_;
  QProgressBar* busy_;
};

}  // namespace lambda
