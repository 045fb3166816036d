#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <vector>

#include <QObject>
#include <QString>

#include "app/inspect/probe_view.h"
#include "app/session/worker_thread.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/theme/colors.h"

namespace lambda {

/// A sequence shows one layer epoch by epoch, and is written into a folder.
struct Sequence {
  InspectableLayer layer;
  std::vector<InspectableLayer> layers;          ///< All layers of the network.
  std::vector<std::filesystem::path> snapshots;  ///< One file for each epoch.
  std::vector<ProbeNorms> norms;                 ///< Of the layer, for each epoch.
  QString folder;
  Colors colors;
  std::chrono::milliseconds frameTime{500};  ///< The animation shows each epoch as long.
};

/// Writes the epochs of a layer as epoch-0001.png ..., as one animation epochs.gif, and norms.csv
/// into a folder, on a thread of its own. Its destruction ends the work after the picture under
/// way.
class SequenceExport : public QObject {
  Q_OBJECT

 public:
  explicit SequenceExport(Sequence sequence, QObject* parent = nullptr);
  ~SequenceExport() override;

  /// Ends the work after the picture under way; finished() follows.
  void cancel() { isCancelled_ = true; }

 Q_SIGNALS:
  void progressed(int done, int total);
  /// Empty = everything is written, or the work was cancelled; otherwise what went wrong and what
  /// to do.
  void finished(const QString& problem);

 private:
  QString writeAll();
  QString writeNorms() const;
  QString pathOf(const QString& name) const;
  static QString notWritten(const QString& path, const QString& reason);

  const Sequence sequence_;
  std::atomic<bool> isCancelled_ = false;
  WorkerThread thread_;
};

}  // namespace lambda
