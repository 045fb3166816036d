#pragma once

#include <memory>
#include <vector>

#include "app/session/panel.h"
#include "app/train/live/layer_picture.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/work/work.h"

class QLabel;
class QScrollArea;
class QStackedLayout;

namespace lambda {

class EpochStrip;
class RepeatedInspection;
class LivePictures;
class ProbeHeader;
class TrainingSession;
struct MetricsUpdate;

/// Inspects one lambda layer with one probe image during training: its lambda matrix, its position
/// embeddings, and the changes of both from epoch to epoch, with the step they belong to. After the
/// training it shows the weights with which the run ended.
class LivePanel : public Panel {
  Q_OBJECT

 public:
  explicit LivePanel(TrainingSession& session, QWidget* parent = nullptr);

  /// The large picture; null before the first one.
  std::shared_ptr<const LayerPicture> shown() const;

  EpochStrip& strip() { return *strip_; }

  /// The answer to endRequested(); has no effect while another run is trained.
  void showEnd(const std::shared_ptr<const InspectionSnapshot>& snapshot);

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

  /// As wide as the controls need; the content below them scrolls.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The last checkpoint of the run that has ended should be inspected.
  void endRequested(const lambda::InspectionRequest& request);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void makeContent();
  QWidget* makeStrip();
  void connectParts();
  void beginRun();
  void aim();
  void loadStored();
  void take(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void noteEpochs(const MetricsUpdate& update);
  void keepEpoch();
  void askForEnd();
  void showPicture();

  TrainingSession& session_;
  RepeatedInspection* inspection_;
  InspectionRequest request_;
  std::vector<InspectableLayer> layers_;
  std::shared_ptr<const LayerPicture> live_;
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  int endedEpoch_ = 0;  ///< The last epoch that ended and is not yet in the strip.
  std::int64_t endedStep_ = 0;

  QStackedLayout* views_;  ///< The pictures, or the reason why there are none.
  QWidget* content_;
  ProbeHeader* head_;
  QLabel* watched_;  ///< Why a run of another process is not inspected here.
  QLabel* problem_;
  QScrollArea* scroll_;
  LivePictures* pictures_;
  EpochStrip* strip_;
  Work stored_;
};

}  // namespace lambda
