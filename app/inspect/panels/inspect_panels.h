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

template <class Panel>
InspectPanel* makeInspectPanel() {
  return new Panel;
}

/// All panels, in the order of their tabs. A new one is its header and source, a line here, and a
/// line in CMakeLists.txt.
inline constexpr InspectPanelTraits kInspectPanels[] = {
    {"Lambda", "lambda", true, makeInspectPanel<LambdaPanel>},
    {"Embeddings", "embeddings", true, makeInspectPanel<EmbeddingsPanel>},
    {"Keys", "keys", true, makeInspectPanel<KeysPanel>},
    {"Prediction", "prediction", false, makeInspectPanel<PredictionPanel>},
};

}  // namespace lambda
