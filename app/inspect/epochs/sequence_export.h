#pragma once

#include <chrono>
#include <memory>

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/inspect/epochs/probe_reader.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/theme/colors.h"

namespace lambda {

class GifWriter;
class HeatmapView;

/// Draws one epoch of a layer: its lambda, its contributions and its embeddings, with the same
/// scales for all epochs, so that the pictures can be shown one after the other.
class SequenceFrame {
 public:
  SequenceFrame(const InspectableLayer& layer, const std::vector<ProbeNorms>& norms);
  ~SequenceFrame();

  QImage draw(const ProbeSnapshot& probe, const Colors& colors) const;

 private:
  InspectableLayer layer_;
  bool showsChange_ = false;  ///< The run knows its embeddings at the start.
  std::unique_ptr<HeatmapView> lambda_;
  std::unique_ptr<HeatmapView> contributions_;
  std::unique_ptr<HeatmapView> embeddings_;
};

/// Writes the epochs of a layer as epoch-0001.png ..., as one animation epochs.gif, and norms.csv
/// into a folder, one picture at a time so that the window stays responsive.
class SequenceExport : public QObject {
  Q_OBJECT

 public:
  /// `reader` and `colors` outlive it. The animation shows each epoch for `frameTime`.
  SequenceExport(ProbeReader& reader,
                 const InspectableLayer& layer,
                 const QString& folder,
                 const Colors& colors,
                 std::chrono::milliseconds frameTime,
                 QObject* parent = nullptr);
  ~SequenceExport() override;

  void start();

 Q_SIGNALS:
  void progressed(int done, int total);
  /// Empty = everything is written; otherwise what went wrong and what to do.
  void finished(const QString& problem);

 private:
  void writeNext();
  void write(int index, const ProbeSnapshot& probe);
  QString writeNorms() const;
  QString animationPath() const;
  static QString notWritten(const QString& path, const QString& reason);

  ProbeReader& reader_;
  InspectableLayer layer_;
  QString folder_;
  const Colors& colors_;
  std::chrono::milliseconds frameTime_;
  SequenceFrame frame_;
  std::unique_ptr<GifWriter> animation_;
  int next_ = 0;
};

}  // namespace lambda
