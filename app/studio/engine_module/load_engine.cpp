#include "app/studio/engine_module/load_engine.h"

#include <dlfcn.h>

#include "engine/runtime/error.h"

namespace lambda {

EngineHandle loadedEngine(const std::string& library) {
  return EngineHandle([library] {
    // The library stays loaded until the process ends: LibTorch can't be unloaded.
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle ? dlsym(handle, "lambdaMakeEngine") : nullptr;
    if (!symbol) {
      const char* reason = dlerror();
      throw Error(library,
                  std::string("Could not load the engine: ") +
                      (reason ? reason : "the reason is not known"),
                  "It is built beside lambda-studio; build or install both again.");
    }
    return std::shared_ptr<EngineCalls>(reinterpret_cast<EngineCalls* (*)()>(symbol)());
  });
}

}  // namespace lambda
