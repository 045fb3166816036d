#pragma once

#include "app/runs/networks/networks_panel.h"
#include "app/runs/panels/confusion/confusion_panel.h"
#include "app/runs/panels/details/details_panel.h"
#include "app/runs/panels/differences/differences_panel.h"
#include "app/runs/panels/overlay_panel.h"
#include "app/runs/panels/run_histograms.h"
#include "app/runs/panels/run_texts.h"
#include "app/runs/panels/scatter_panel.h"

namespace lambda {

/// How the Runs workspace shows a panel below the table.
struct RunsPanelTraits {
  const char* title;  ///< Of its tab.
  RunsPanel* (*make)(const RunsContext& context);
};

/// All panels, in the order of their tabs.
inline constexpr RunsPanelTraits kRunsPanels[] = {
    {"Curves", makePanel<RunsPanel, OverlayPanel>},
    {"Differences", makePanel<RunsPanel, DifferencesPanel>},
    {"Confusion", makePanel<RunsPanel, ConfusionPanel>},
    {"Scatter", makePanel<RunsPanel, ScatterPanel>},
    {"Details", makePanel<RunsPanel, DetailsPanel>},
    {"Histograms", makePanel<RunsPanel, RunHistograms>},
    {"Networks", makePanel<RunsPanel, NetworksPanel>},
    {"Texts", makePanel<RunsPanel, RunTexts>},
};

}  // namespace lambda
