#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/runtime/processes/processes.h"

namespace lambda {

/// What the ranks of a launch tell each other before they have a group: names and their texts,
/// which rank 0 or the launcher serves.
using RankStore = c10::intrusive_ptr<c10d::Store>;

/// Serves the store on rank 0, unless the launcher does, and connects the others to it. From then
/// on LibTorch's own messages about connections are silent, since each failure is an Error here.
/// Throws Error naming the place, with `meeting.note` before for a rank 0 that does not come.
RankStore storeOf(const Launch& launch, const Meeting& meeting);

/// A further connection to the same store. Throws c10::Error.
RankStore connectedStore(const Launch& launch, std::chrono::milliseconds timeout);

/// "HOST:PORT"
std::string meetingPlaceOf(const Launch& launch);

std::vector<std::uint8_t> bytesOf(const std::string& text);
std::string textOf(const std::vector<std::uint8_t>& bytes);

/// The first line of what LibTorch says.
std::string reasonOf(const std::exception& error);

}  // namespace lambda
