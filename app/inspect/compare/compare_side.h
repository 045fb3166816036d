#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "app/inspect/feed/snapshot_feed.h"
#include "app/session/runs/run_summary.h"
#include "engine/values/inspection/colormap.h"
#include "engine/values/inspection/contribution_maps.h"

class QLabel;

namespace lambda {

class HeatmapView;
class ImageView;
class NameList;
class SourceChooser;

/// One half of a comparison: the choice of weights and layer, the image with the contributions, the
/// lambda of the query, and the position embeddings.
class CompareSide : public QWidget {
  Q_OBJECT

 public:
  CompareSide(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent = nullptr);

  SourceChooser& chooser() { return *chooser_; }

  SnapshotFeed& feed() { return *feed_; }

  ImageView& image() { return *image_; }

  HeatmapView& lambdaView() { return *lambda_; }

  HeatmapView& embeddingsView() { return *embeddings_; }

  /// Heights of the choice at the top and of the words below the image, which do not change with
  /// what is shown.
  int headerHeight() const;
  int verdictHeight() const;

  /// The inspected layer; empty where the network has none.
  const std::optional<InspectableLayer>& layer() const { return layer_; }

  /// Selects a layer; a name that this network lacks changes nothing.
  void setLayer(const std::string& name);

  std::shared_ptr<const InspectionSnapshot> snapshot() const { return feed_->snapshot(); }

  /// Requests the layer at the position with these shares of the map's height and width.
  void ask(const InspectionRequest& image, double rowShare, double columnShare);

  /// What makes both sides comparable. Ranges: none = that of the side's own values.
  struct Scales {
    bool areShares = false;  ///< The map is shown as sharesOf() it.
    std::optional<ColorRange> map;
    std::optional<ColorRange> lambda;
    std::optional<ColorRange> embeddings;
  };

  void show(ContributionKind quantity, const Scales& scales);

 Q_SIGNALS:
  /// Other weights or another layer were chosen: both sides must be requested again.
  void chosen();
  void queryChosen(double rowShare, double columnShare);
  /// A snapshot has arrived, or a failure is shown in its place.
  void changed();

 private:
  void fitToText();
  void takeSource(const InspectionSource& source);
  void fillLayers();
  /// Says why there is nothing to show, in place of the image.
  void showReason(const QString& reason);

  SourceChooser* chooser_;
  NameList* layerList_;
  ImageView* image_;
  HeatmapView* lambda_;
  HeatmapView* embeddings_;
  QLabel* verdict_;
  SnapshotFeed* feed_;
  std::vector<InspectableLayer> layers_;
  std::optional<InspectableLayer> layer_;
};

}  // namespace lambda
