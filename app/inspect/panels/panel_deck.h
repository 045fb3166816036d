#pragma once

#include <vector>

#include <QList>

#include "app/inspect/panels/inspect_panel.h"
#include "widgets/theme/grip_splitter.h"

class QFrame;
class QLabel;
class QStackedWidget;
class QTabWidget;

namespace lambda {

class EmptyState;
class ImagePanel;
class LayerList;
class FittedArea;

/// A network's layers that can be inspected on the left, the image with the contributions in the
/// middle, and the panels of kInspectPanels as tabs on the right. Only what is in view is updated.
class PanelDeck : public GripSplitter {
  Q_OBJECT

 public:
  explicit PanelDeck(QWidget* parent = nullptr);

  LayerList& layers() { return *layers_; }

  ImagePanel& image() { return *image_; }

  /// The panels of the tabs, in their order.
  const std::vector<InspectPanel*>& panels() const { return panels_; }

  /// The layers to choose from. `network` describes a network without any; empty = there is none.
  void setLayers(const std::vector<InspectableLayer>& layers, const QString& network);

  void setState(const PanelState& state);

  /// Whether the panel of the chosen tab shows the principal patterns of the embeddings.
  bool showsPatterns() const;

  /// Says why nothing can be shown, and offers what to do.
  void showFailure(const QString& reason);

  bool showsFailure() const;

  /// The actions of all panels.
  QList<QAction*> panelActions() const;

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 Q_SIGNALS:
  /// Another tab is the current one.
  void panelChosen();
  void retryRequested();
  void otherRunRequested();
  void predictionsRequested();

 private:
  void fitToText();
  void enableTabs(bool haveLambdas, const QString& whyNot);

  QFrame* left_;
  LayerList* layers_;
  QLabel* noLayers_;
  QStackedWidget* middle_;
  ImagePanel* image_;
  FittedArea* imageArea_;
  EmptyState* failure_;
  QTabWidget* tabs_;
  std::vector<InspectPanel*> panels_;
  int chosenTab_ = 0;  ///< Another is current while it has nothing to show.
};

}  // namespace lambda
