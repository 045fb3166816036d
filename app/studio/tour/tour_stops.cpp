#include "app/studio/tour/tour_stops.h"

#include "app/design/totals/totals_bar.h"
#include "app/experiments/experiment_list.h"
#include "app/inspect/panels/image_panel.h"
#include "app/runs/table/run_table_view.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/workspaces.h"
#include "app/train/run/run_view.h"
#include "app/train/run/transport_bar.h"
#include "app/train/setup/setup_view.h"
#include "widgets/network/network_editor.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The first of these parts that a page shows, else the page.
template <class... Parts>
std::function<QWidget*()> partOf(Workspaces& workspaces, Workspace workspace) {
  return [&workspaces, workspace]() -> QWidget* {
    QWidget* page = workspaces.page(workspace);
    QWidget* found = nullptr;
    const auto look = [&](QWidget* part) {
      if (!found && part && part->isVisible()) found = part;
    };
    (look(page->findChild<Parts*>()), ...);
    return found ? found : page;
  };
}

}  // namespace

std::vector<TourStop> tourStops(Workspaces& workspaces, NavigationRail& rail) {
  const auto goTo = [&workspaces](Workspace workspace) {
    return [&workspaces, workspace] { workspaces.goTo(workspace); };
  };
  return {
      {u"Five pages"_s,
       u"Design a network, train it, inspect what its layers have learnt, compare the runs, and "
       u"answer a question by an experiment. The rail leads to each page at any time."_s,
       goTo(Workspace::design),
       [&rail] { return &rail; }},
      {u"The network, block by block"_s,
       u"Click a block and press L to turn it into a lambda layer, C for a convolution. "
       u"Double-click it to see its operations. Every change can be undone."_s,
       goTo(Workspace::design),
       partOf<NetworkEditor>(workspaces, Workspace::design)},
      {u"What a change costs"_s,
       u"Parameters, FLOPs and memory follow every change, with the difference to the last saved "
       u"version."_s,
       goTo(Workspace::design),
       partOf<TotalsBar>(workspaces, Workspace::design)},
      {u"Start, pause, stop"_s,
       u"Start training begins a run with the open network. A stopped run is saved and can be "
       u"resumed."_s,
       goTo(Workspace::train),
       partOf<TransportBar>(workspaces, Workspace::train)},
      {u"Data and recipe"_s,
       u"Choose the data set and the recipe here. While a network trains, this shows its curves, "
       u"and the lambda matrices and position embeddings of one layer."_s,
       goTo(Workspace::train),
       partOf<SetupView, RunView>(workspaces, Workspace::train)},
      {u"Inside a layer"_s,
       u"Click a pixel of an image to see what every other pixel contributes to its output. The "
       u"contributions add up to it exactly."_s,
       goTo(Workspace::inspect),
       partOf<ImagePanel>(workspaces, Workspace::inspect)},
      {u"All runs in one table"_s,
       u"Runs of the studio and of the command line appear here. Check several to compare their "
       u"curves, settings and errors."_s,
       goTo(Workspace::runs),
       partOf<RunTableView>(workspaces, Workspace::runs)},
      {u"A question, and the runs that answer it"_s,
       u"An experiment trains every variant with several seeds and says which differences are "
       u"seen. "
       u"“Vary this in an experiment”, at every field of Design and Train, begins your own."_s,
       goTo(Workspace::experiments),
       partOf<ExperimentList>(workspaces, Workspace::experiments)},
      {u"Every command by its name"_s,
       u"The search finds all commands. This tour is one of them, and is in the menu Help."_s,
       goTo(Workspace::design),
       [&rail] { return rail.bottomButton(); }},
  };
}

}  // namespace lambda
