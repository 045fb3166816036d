#include "app/inspect/inspect_selection.h"

#include <algorithm>
#include <utility>

namespace lambda {

void InspectSelection::setLayers(std::vector<InspectableLayer> layers) {
  const InspectableLayer* before = layer();
  const std::optional<InspectableLayer> old = before ? std::optional(*before) : std::nullopt;
  layers_ = std::move(layers);
  const InspectableLayer* now = layer();
  if (now == nullptr) {
    layer_ = layers_.empty() ? std::string() : layers_.front().name;
    query_.reset();
  } else if (old && query_) {
    query_ =
        Cell{query_->row * now->height / old->height, query_->column * now->width / old->width};
  }
}

const InspectableLayer* InspectSelection::layer() const {
  const auto found = std::find_if(
      layers_.begin(), layers_.end(), [this](const auto& layer) { return layer.name == layer_; });
  return found == layers_.end() ? nullptr : &*found;
}

void InspectSelection::chooseLayer(const std::string& name) {
  const InspectableLayer* before = layer();
  const std::string old = std::exchange(layer_, name);
  const InspectableLayer* now = layer();
  if (now == nullptr) {
    layer_ = old;
  } else if (before && query_) {
    query_ = Cell{query_->row * now->height / before->height,
                  query_->column * now->width / before->width};
  }
}

void InspectSelection::chooseSplit(Split split) {
  if (split == split_) return;
  split_ = split;
  chooseImage(0);
}

void InspectSelection::chooseImage(int image) {
  image_ = image;
  picture_.reset();
}

void InspectSelection::choosePicture(Image picture) {
  picture_ = std::move(picture);
}

InspectionRequest InspectSelection::request() const {
  return {.layer = layer_,
          .split = split_,
          .image = image_,
          .queryRow = query_ ? query_->row : -1,
          .queryColumn = query_ ? query_->column : -1,
          .picture = picture_};
}

}  // namespace lambda
