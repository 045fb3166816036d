#pragma once

#include <cstdint>
#include <unistd.h>

#include "engine/runtime/processes/reachable_address.h"

namespace lambda::test {

/// A port of this host that nobody uses now.
inline std::uint16_t freePort() {
  const ListeningSocket socket = listenOnThisHost();
  close(socket.file);
  return socket.port;
}

}  // namespace lambda::test
