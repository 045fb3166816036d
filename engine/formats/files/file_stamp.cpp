#include "engine/formats/files/file_stamp.h"

#include <sys/stat.h>

namespace lambda {

FileStamp stampOf(const std::filesystem::path& file) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;

  struct stat status {};

  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {status.st_ino,
          static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace lambda
