#pragma once

#include <QtGlobal>

#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/prediction_panel.h"

namespace lambda {

/// How the Inspect workspace shows a panel beside the image.
struct InspectPanelTraits {
  const char* title;     ///< Of its tab.
  const char* settings;  ///< The group of its settings.
  bool needsLambdas;     ///< It has nothing to show for other layers than lambda layers.
  InspectPanel* (*make)();
};

/// All panels, in the order of their tabs.
inline constexpr InspectPanelTraits kInspectPanels[] = {
    {"Lambda", "lambda", true, makePanel<InspectPanel, LambdaPanel>},
    {"Embeddings", "embeddings", true, makePanel<InspectPanel, EmbeddingsPanel>},
    {"Keys", "keys", true, makePanel<InspectPanel, KeysPanel>},
    {"Prediction", "prediction", false, makePanel<InspectPanel, PredictionPanel>},
};

}  // namespace lambda
