#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// The address of this host by which others reach it that can reach `host`: that of the interface
/// on the way there. Throws Error where the name is not known or there is no way.
std::string addressTowards(const std::string& host, std::uint16_t port);

/// The name of the interface that has an address; empty if there is none.
std::string interfaceOf(const std::string& address);

/// A socket that listens at a port of this host which only its own processes can reach.
struct ListeningSocket {
  int file = -1;  ///< Belongs to the caller; child processes do not inherit it.
  std::uint16_t port = 0;
};

/// Throws Error if no port is free.
ListeningSocket listenOnThisHost();

}  // namespace lambda
