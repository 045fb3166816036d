#pragma once

#include <string>
#include <string_view>

#include "engine/values/remote/remote_messages.h"

namespace lambda {

/// The longest line of a message that is read, in bytes.
inline constexpr std::size_t kLongestMessage = 4 << 20;

/// A message as one line, without its newline.
std::string toJson(const RemoteNews& news);
std::string toJson(const RemoteWish& wish);

/// Reads a line. Throws Error naming the sender for one that is no such message.
RemoteNews remoteNewsFromJson(std::string_view line, const std::string& sender);
RemoteWish remoteWishFromJson(std::string_view line, const std::string& sender);

}  // namespace lambda
