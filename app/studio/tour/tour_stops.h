#pragma once

#include <vector>

#include "app/studio/tour/tour.h"

namespace lambda {

class NavigationRail;
class Workspaces;

/// The stops of the tour through the four pages.
std::vector<TourStop> tourStops(Workspaces& workspaces, NavigationRail& rail);

}  // namespace lambda
