#include "app/process_start.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace lambda {

void prepareProcess() {
  // open() returns the lowest free number.
  int opened = open("/dev/null", O_RDWR);
  while (opened >= 0 && opened <= STDERR_FILENO) opened = open("/dev/null", O_RDWR);
  if (opened >= 0) close(opened);

  struct sigaction ignore {};

  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, nullptr);
}

}  // namespace lambda
