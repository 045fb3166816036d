#pragma once

#include "app/inspect/inspect_page.h"

namespace lambda {

struct InspectPage::Actions {
  QAction* showLive = nullptr;
  QAction* previousLayer = nullptr;
  QAction* nextLayer = nullptr;
  QAction* previousHead = nullptr;
  QAction* nextHead = nullptr;
  QList<QAction*> quantities;
  QAction* grid = nullptr;
  QAction* lockScale = nullptr;
  QAction* previousImage = nullptr;
  QAction* nextImage = nullptr;
  QAction* randomImage = nullptr;
  QAction* wrongImages = nullptr;
  QAction* ownPicture = nullptr;
  QAction* compare = nullptr;
  QAction* epochs = nullptr;
  QAction* play = nullptr;
};

}  // namespace lambda
