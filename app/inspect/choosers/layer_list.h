#pragma once

#include <map>
#include <string>
#include <vector>

#include <QImage>
#include <QListWidget>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The layers of a network that can be inspected, in network order: name, map size, k, h, u or its
/// kind, and a small picture of the lambda once it is known.
class LayerList : public QListWidget {
  Q_OBJECT

 public:
  explicit LayerList(QWidget* parent = nullptr);

  /// Sets the layers; pictures of layers with the same name stay.
  void setLayers(const std::vector<InspectableLayer>& layers);

  const std::vector<InspectableLayer>& layers() const { return layers_; }

  /// Selects a layer without a signal; an unknown name selects none.
  void setCurrentLayer(const std::string& name);
  std::string currentLayer() const;

  /// The last known lambda [k, v] of a layer.
  void setLambda(const std::string& layer, const Array& lambda);
  void clearLambdas();

  /// Moves by this many layers, at most to the ends.
  void step(int by);

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// A person has chosen a layer.
  void layerChosen(const std::string& name);

 private:
  void fill();

  std::vector<InspectableLayer> layers_;
  std::map<std::string, QImage> pictures_;
};

/// "8×8 map · k 16 · h 4 · u 1"
QString layerSummary(const InspectableLayer& layer);

/// "stage3.block2" for "stage3.block2.mixer".
QString layerTitle(const std::string& name);

}  // namespace lambda
