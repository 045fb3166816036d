#pragma once

#include <memory>

#include "app/inspect/modes/inspect_mode.h"
#include "app/inspect/panels/inspect_panel.h"
#include "engine/values/inspection/probe_snapshot.h"

namespace lambda {

class EpochPlayer;
class PanelDeck;
class RunImages;

/// The stored snapshots of a run's epochs, in the same panels as a single image, on scales that are
/// the same for all epochs.
class EpochsMode : public InspectMode {
  Q_OBJECT

 public:
  /// Both outlive the mode.
  EpochsMode(RunImages& images, PanelDeck& deck, QObject* parent = nullptr);

  /// Plays or pauses.
  void togglePlaying();

  Parts parts() override;
  void setSource(const InspectionSource& source) override;
  void begin(const InspectSelection& selection) override;
  void end() override;
  void show(const InspectSelection& selection) override;
  void setInView(bool isInView) override;
  QString status() const override;

  bool hasFreeQuery() const override { return false; }

 private:
  void open();
  void showProbe(const std::shared_ptr<const ProbeSnapshot>& probe);
  PanelScales scales() const;

  RunImages& images_;
  PanelDeck& deck_;
  EpochPlayer* player_;  ///< Belongs to the page that shows it.
  InspectionSource source_;
  InspectSelection selection_;
  bool isShown_ = false;
};

}  // namespace lambda
