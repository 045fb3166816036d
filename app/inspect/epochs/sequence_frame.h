#pragma once

#include <vector>

#include <QImage>

#include "app/inspect/probe_view.h"
#include "engine/values/inspection/colormap.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/theme/colors.h"

namespace lambda {

/// Draws one epoch of a layer: its lambda, its contributions and its embeddings, with the same
/// scales for all epochs, so that the pictures can be shown one after the other. It may be used on
/// any one thread.
class SequenceFrame {
 public:
  static constexpr QSize kSize{1280, 720};

  SequenceFrame(const InspectableLayer& layer, const std::vector<ProbeNorms>& norms);

  QImage draw(const ProbeSnapshot& probe, const Colors& colors) const;

 private:
  InspectableLayer layer_;
  bool showsChange_ = false;  ///< The run knows its embeddings at the start.
  ColorRange lambda_;
  ColorRange contributions_;
  ColorRange embeddings_;
};

}  // namespace lambda
