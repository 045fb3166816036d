#include "app/studio/engine_module/entry_point.h"

#include "app/studio/engine_module/local_engine.h"

extern "C" __attribute__((visibility("default"))) lambda::EngineCalls* lambdaMakeEngine() {
  return new lambda::LocalEngine();
}
