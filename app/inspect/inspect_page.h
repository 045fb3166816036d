#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QTimer>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/page.h"
#include "app/session/run_summary.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/probe_snapshot.h"
#include "engine/values/run/predictions.h"

class QFrame;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace lambda {

class GripSplitter;
class Comparison;
class ElidedLabel;
class EmbeddingsPanel;
class EmptyState;
class EpochPlayer;
class ImagePanel;
class ImagePicker;
class InspectionSession;
class KeysPanel;
class LambdaPanel;
class LayerList;
class LayerPictures;
class PanelArea;
class PredictionPanel;
class SnapshotFeed;
class SourceChooser;
class TrainingSession;

/// The workspace that inspects networks: the choice of weights at the top, their lambda layers on
/// the left, the image with the contributions to one position in the middle, the layer's lambdas,
/// embeddings, keys and prediction on the right, and the images to choose from below.
class InspectPage : public Page {
  Q_OBJECT

 public:
  /// Both sessions outlive the page.
  InspectPage(TrainingSession& training, InspectionSession& inspection, QWidget* parent = nullptr);
  ~InspectPage() override;

  /// The runs to choose from, oldest first.
  void setRuns(const std::vector<RunSummary>& runs);

  /// Inspects a run (a folder) or one of its checkpoints (a file).
  void showRun(const std::filesystem::path& path);
  /// Inspects one image of a run's split, for example from a cell of a confusion matrix.
  void showImage(const std::filesystem::path& path, Split split, int image);
  /// Inspects the network that is being trained, if there is one.
  void showLive();

  /// Opens a picture file as the network's input: its middle, scaled to the input's size.
  void openPicture(const QString& path);

  void setCompareMode(bool on);
  void setEpochMode(bool on);

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  /// There is nothing to inspect: the person wants to train, or to open a run.
  void trainRequested();
  void runsRequested();
  /// The result of an action, for a line at the top of the window.
  void told(const QString& text, bool isProblem);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Actions;

  /// In the order of the tabs.
  enum Tab { kLambdaTab, kEmbeddingsTab, kKeysTab, kPredictionTab };

  /// The choice of layer, image and query, which stays when the weights change.
  struct Selection {
    std::string layer;
    Split split = Split::validation;
    int image = 0;
    int row = -1;  ///< -1 = the middle.
    int column = -1;
    std::optional<Image> picture;
    QString pictureName;
  };

  void makeLayout();
  QWidget* makeTopBar();
  void fitToText();
  void connectParts();
  void connectTraining();
  void makeActions();
  void updateIcons();

  // ---- what is inspected ----
  void takeSource(const InspectionSource& source);
  void takeLive();
  void chooseLayer(const std::string& name);
  void chooseQuery(int row, int column);
  void chooseImage(int image);
  void chooseSplit(Split split);
  void loadImages();
  /// The images of the inspected run; null where they are still being read: then loadImages()
  /// follows.
  std::shared_ptr<const LabeledImages> imagesOf(Split split);
  InspectionRequest request() const;
  void ask();
  void fetchLayerPictures();

  // ---- what is shown ----
  void takeSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void showSnapshot(const std::shared_ptr<const InspectionSnapshot>& snapshot);
  void showFailure(const QString& reason);
  void showImageAlone();
  void takeProbe(const std::shared_ptr<const ProbeSnapshot>& probe);
  void setScales(bool fixed);
  void predict();
  void endPrediction();
  void forgetPredictions();
  void updateState();
  void updateStatus();
  const InspectableLayer* currentLayer() const;
  void choosePicture();

  TrainingSession& training_;
  InspectionSession& inspection_;
  SnapshotFeed* feed_;
  LayerPictures* layerPictures_;
  std::unique_ptr<Actions> actions_;
  std::vector<InspectableLayer> layers_;
  bool arePicturesOld_ = false;  ///< The layers' pictures belong to another image.
  Selection selection_;
  std::shared_ptr<const Predictions> predictions_;
  quint64 predictionId_ = 0;
  bool isComparing_ = false;
  bool isPlayingEpochs_ = false;
  QTimer statusTimer_;

  SourceChooser* chooser_;
  ElidedLabel* status_;
  QProgressBar* busy_;
  QToolButton* compareButton_;
  QToolButton* epochsButton_;
  QStackedWidget* stack_;
  EmptyState* empty_;
  GripSplitter* splitter_;
  QFrame* left_;
  LayerList* layerList_;
  QLabel* noLayers_;
  QStackedWidget* middle_;
  EmptyState* failure_;
  ImagePanel* imagePanel_;
  QTabWidget* tabs_;
  LambdaPanel* lambdaPanel_;
  EmbeddingsPanel* embeddingsPanel_;
  KeysPanel* keysPanel_;
  PredictionPanel* predictionPanel_;
  Comparison* comparison_;
  PanelArea* comparisonArea_;
  QFrame* bottomLine_;
  ImagePicker* picker_;
  EpochPlayer* player_;
};

}  // namespace lambda
