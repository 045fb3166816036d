#pragma once

#include <QObject>
#include <QString>

#include "app/inspect/feed/inspection_source.h"
#include "app/inspect/inspect_selection.h"

class QWidget;

namespace lambda {

/// The ways to inspect, in the order of their buttons.
enum class InspectModeKind { image, epochs, compare, text, generate };

/// One way to inspect the chosen weights. The page shows the parts of one mode, and passes it every
/// choice while it is shown.
class InspectMode : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// The widgets of the page that belong to the mode.
  struct Parts {
    QWidget* view = nullptr;      ///< In the middle.
    QWidget* controls = nullptr;  ///< At the top, instead of the choice of weights.
    QWidget* bottom = nullptr;    ///< Instead of the choice of images.
  };

  virtual Parts parts() = 0;

  /// The weights from now on; answers for those before are dropped. A mode that is shown gets
  /// show() next.
  virtual void setSource(const InspectionSource& source) = 0;

  /// The mode is shown from now on; show() follows.
  virtual void begin(const InspectSelection& selection);

  /// Another mode is shown from now on.
  virtual void end();

  /// Shows this choice; follows begin() and every change.
  virtual void show(const InspectSelection& selection) = 0;

  /// Whether the person chooses the query position; otherwise it is always the middle.
  virtual bool hasFreeQuery() const;

  /// Whether its pictures can be seen: it is shown, on a visible page.
  virtual void setInView(bool isInView) = 0;

  /// What is shown, for the line at the top.
  virtual QString status() const = 0;

 Q_SIGNALS:
  /// The status has changed.
  void changed();
  /// The person waits for an answer.
  void busyChanged(bool isBusy);
  /// What happened, for a line at the top of the window.
  void told(const QString& text, bool isProblem);
};

}  // namespace lambda
