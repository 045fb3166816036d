#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include <QTimer>
#include <QWidget>

#include "app/inspect/epochs/probe_reader.h"
#include "engine/values/inspection/inspection.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSlider;
class QToolButton;

namespace lambda {

class NormStrip;

/// Plays the snapshots that a run has stored of its epochs.
class EpochPlayer : public QWidget {
  Q_OBJECT

 public:
  /// `budget`: how many numbers of the snapshots may stay in memory.
  explicit EpochPlayer(std::size_t budget = ProbeReader::kBudget, QWidget* parent = nullptr);
  ~EpochPlayer() override;

  /// Reads RUN/inspection of a run whose network has these layers, and shows its last epoch.
  void open(const std::filesystem::path& inspectionFolder, std::vector<InspectableLayer> layers);
  void setLayer(const InspectableLayer& layer);

  /// Stops playing; the shown epoch stays.
  void pause();
  void togglePlaying();

  bool isPlaying() const { return timer_.isActive(); }

  int current() const;
  void setCurrent(int index);
  void step(int by);

  int count() const { return reader_.count(); }

  /// The norms of the layer over all epochs.
  std::vector<ProbeNorms> norms() const { return reader_.norms(layer_.name); }

  /// Asks for a folder and writes all epochs into it.
  void exportSequence();
  /// Writes all epochs into a folder, in the background.
  void exportTo(const QString& folder);
  /// Ends the writing: the pictures that are written stay, the animation is not made.
  void cancelExport();

 Q_SIGNALS:
  /// Another epoch or layer is shown; null where the run has stored no snapshot.
  void probeShown(std::shared_ptr<const lambda::ProbeSnapshot> probe);
  /// Some of the stored epochs can't be read; the others can be played.
  void epochsMissed(const QString& problem);
  /// The current epoch can't be shown any more: what happened and why.
  void epochLost(const QString& reason);
  /// The sequence is written, or `problem` says why it is not.
  void exported(const QString& folder, const QString& problem);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void updateParts();
  void show(int index);
  void advance();

  ProbeReader reader_;
  InspectableLayer layer_;
  QTimer timer_;
  QString problem_;
  bool isOpen_ = false;
  bool isReading_ = false;  ///< The current epoch is being read again.
  bool isExporting_ = false;
  Lane exportLane_;
  Work export_{*this};
  QToolButton* back_;
  QToolButton* play_;
  QToolButton* forward_;
  QSlider* slider_;
  NormStrip* strip_;
  QLabel* label_;
  QComboBox* speed_;
  QPushButton* exportButton_;
  QProgressBar* exportProgress_;
};

}  // namespace lambda
