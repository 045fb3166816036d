#include "engine/runtime/plugin.h"

#include <dlfcn.h>
#include <system_error>

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
  Dl_info here{};
  std::error_code error;
  std::filesystem::path folder;
  if (dladdr(reinterpret_cast<const void*>(&pluginFile), &here) != 0) {
    folder = std::filesystem::canonical(here.dli_fname, error).parent_path();
  }
  std::filesystem::path beside = folder / name;
  if (exists(beside, error)) return beside;
  const std::filesystem::path above = folder.parent_path();
  for (std::filesystem::path other :
       {above / name, above / "lib/lambda-studio" / name, folder / "lambda-studio" / name}) {
    if (exists(other, error)) return other;
  }
  return beside;
}

}  // namespace lambda
