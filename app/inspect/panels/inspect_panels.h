#pragma once

#include <QtGlobal>

#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/prediction_panel.h"

namespace lambda {

/// How the Inspect workspace shows a panel beside the image.
struct InspectPanelTraits {
  const char* title;     ///< Of its tab, to be translated in the context lambda::InspectPanel.
  const char* settings;  ///< The group of its settings.
  bool needsLayer;       ///< It has nothing to show for a network without lambda layers.
  InspectPanel* (*make)();
};

template <class Panel>
InspectPanel* makeInspectPanel() {
  return new Panel;
}

/// All panels, in the order of their tabs. A new one is its header and source, a line here, and a
/// line in CMakeLists.txt.
inline constexpr InspectPanelTraits kInspectPanels[] = {
    {QT_TRANSLATE_NOOP("lambda::InspectPanel", "Lambda"),
     "lambda",
     true,
     makeInspectPanel<LambdaPanel>},
    {QT_TRANSLATE_NOOP("lambda::InspectPanel", "Embeddings"),
     "embeddings",
     true,
     makeInspectPanel<EmbeddingsPanel>},
    {QT_TRANSLATE_NOOP("lambda::InspectPanel", "Keys"), "keys", true, makeInspectPanel<KeysPanel>},
    {QT_TRANSLATE_NOOP("lambda::InspectPanel", "Prediction"),
     "prediction",
     false,
     makeInspectPanel<PredictionPanel>},
};

}  // namespace lambda
