#include "engine/runtime/plugin.h"

#include <dlfcn.h>
#include <system_error>

#include <link.h>

namespace lambda {

namespace {

std::string lastLoaderError() {
  const char* error = dlerror();
  return error != nullptr ? error : "no reason is given";
}

}  // namespace

PluginFunction pluginFunction(const std::filesystem::path& file, const char* symbol) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {nullptr, "the plugin can't be opened (" + lastLoaderError() + ")"};
  }
  void* address = dlsym(handle, symbol);
  if (address == nullptr) {
    return {nullptr,
            file.string() + " is not a plugin of Lambda Studio (" + lastLoaderError() + ")"};
  }
  return {address, {}};
}

std::filesystem::path pluginFile(const std::string& name) {
  // For the program itself dladdr() gives the word that it was started by, which is no path where
  // it was found by PATH. The files below must never be those of the working folder.
  Dl_info info{};
  link_map* here = nullptr;
  std::error_code error;
  std::filesystem::path file = "/proc/self/exe";
  if (dladdr1(reinterpret_cast<const void*>(&pluginFile),
              &info,
              reinterpret_cast<void**>(&here),
              RTLD_DL_LINKMAP) != 0 &&
      here != nullptr && *here->l_name != '\0') {
    file = here->l_name;
  }
  const std::filesystem::path folder = std::filesystem::canonical(file, error).parent_path();
  std::filesystem::path beside = folder / name;
  if (error) return beside;
  if (exists(beside, error)) return beside;
  const std::filesystem::path above = folder.parent_path();
  for (std::filesystem::path other :
       {above / name, above / "lib/lambda-studio" / name, folder / "lambda-studio" / name}) {
    if (exists(other, error)) return other;
  }
  return beside;
}

}  // namespace lambda
