#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/values/images/image.h"
#include "engine/values/inspection/heatmap.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The choice of layer, image and query position, which stays when the weights change.
class InspectSelection {
 public:
  /// The layers of another network. The chosen one stays where this network has it too; otherwise
  /// it is the first one, with the query in its middle.
  void setLayers(std::vector<InspectableLayer> layers);

  const std::vector<InspectableLayer>& layers() const { return layers_; }

  /// The chosen layer; null where the network has none.
  const InspectableLayer* layer() const;

  /// The query stays at its place of the image, on a map of another size. An unknown name changes
  /// nothing.
  void chooseLayer(const std::string& name);

  /// None = the middle.
  std::optional<Cell> query() const { return query_; }

  void chooseQuery(const Cell& query) { query_ = query; }

  Split split() const { return split_; }

  /// Index within the split.
  int image() const { return image_; }

  /// A person's own picture, which is inspected instead of an image of the data.
  const std::optional<Image>& picture() const { return picture_; }

  void chooseSplit(Split split);
  void chooseImage(int image);
  void choosePicture(Image picture);

  void forgetPicture() { picture_.reset(); }

  InspectionRequest request() const;

 private:
  std::vector<InspectableLayer> layers_;
  std::string layer_;
  std::optional<Cell> query_;
  Split split_ = Split::validation;
  int image_ = 0;
  std::optional<Image> picture_;
};

}  // namespace lambda
