#pragma once

#include "app/train/live/live_panel.h"
#include "app/train/run/training_histograms.h"
#include "app/train/run/training_texts.h"

namespace lambda {

/// How the Train workspace shows a panel beside the curves.
struct TrainPanelTraits {
  const char* title;  ///< Of its tab.
  const char* toolTip;
  Panel* (*make)(TrainingSession& session);
  bool isOfImages = true;  ///< Whether it is shown for runs on images,
  bool isOfTokens = true;  ///< and for runs on sequences.
};

/// All panels, in the order of their tabs.
inline constexpr TrainPanelTraits kTrainPanels[] = {
    {.title = "Lambda layers",
     .toolTip = "Lambda matrix and position embeddings of a layer with one image",
     .make = makePanel<Panel, LivePanel>,
     .isOfTokens = false},
    {.title = "Histograms",
     .toolTip = "Weights, gradients, activations and lambda norms of each layer over the steps",
     .make = makePanel<Panel, TrainingHistograms>},
    {.title = "Texts",
     .toolTip = "What the network writes after each epoch",
     .make = makePanel<Panel, TrainingTexts>,
     .isOfImages = false},
};

}  // namespace lambda
