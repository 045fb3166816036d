#include "app/session/set_aside.h"

#include <string>
#include <system_error>

namespace fs = std::filesystem;

namespace lambda {

fs::path setAside(const fs::path& file) {
  std::error_code error;
  fs::path aside = file.string() + ".damaged";
  for (int i = 2; fs::exists(aside, error); ++i) {
    aside = file.string() + ".damaged-" + std::to_string(i);
  }
  fs::rename(file, aside, error);
  return error ? fs::path() : aside;
}

}  // namespace lambda
