#pragma once

#include "app/train/live/live_panel.h"
#include "app/train/run/training_histograms.h"

namespace lambda {

/// How the Train workspace shows a panel beside the curves.
struct TrainPanelTraits {
  const char* title;  ///< Of its tab.
  const char* toolTip;
  Panel* (*make)(TrainingSession& session);
};

/// All panels, in the order of their tabs.
inline constexpr TrainPanelTraits kTrainPanels[] = {
    {"Lambda layers",
     "Lambda matrix and position embeddings of a layer with one image",
     makePanel<Panel, LivePanel>},
    {"Histograms",
     "Weights, gradients, activations and lambda norms of each layer over the steps",
     makePanel<Panel, TrainingHistograms>},
};

}  // namespace lambda
