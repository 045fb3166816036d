#include "engine/formats/files/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lambda {

namespace {

struct flock wholeFile(short type) {
  struct flock lock {};

  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

bool lockFile(int descriptor, short type) {
  struct flock lock = wholeFile(type);
  int status = 0;
  do {
    status = ::fcntl(descriptor, F_OFD_SETLK, &lock);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

bool isFileLocked(int descriptor) {
  struct flock obstacle = wholeFile(F_WRLCK);
  return ::fcntl(descriptor, F_OFD_GETLK, &obstacle) == 0 && obstacle.l_type != F_UNLCK;
}

}  // namespace lambda
