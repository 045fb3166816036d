#include "engine/runtime/processes/rank_store.h"

#include <algorithm>

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

using std::chrono::milliseconds;

/// As c10/util/Logging.h counts the severity of messages: only those that end the program.
constexpr int kFatalOnly = 3;

RankStore openStore(const Launch& launch, bool serves, milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = launch.port;
  options.isServer = serves;
  options.waitWorkers = false;
  options.timeout = timeout;
  if (serves && launch.listening >= 0) {
    options.masterListenFd = launch.listening;
    options.useLibUV = false;  // It opens its own sockets alone.
  }
  return c10::make_intrusive<c10d::PrefixStore>(
      "lambda/" + launch.job + "/" + std::to_string(launch.attempt),
      c10::make_intrusive<c10d::TCPStore>(launch.host, options));
}

RankStore serveStore(const Launch& launch, const Meeting& meeting) {
  try {
    return openStore(launch, /*serves=*/true, meeting.givenUp);
  } catch (const std::exception& error) {
    throw Error(meetingPlaceOf(launch),
                "the ranks can't meet there: " + reasonOf(error),
                "Another program may use this port: give a free one with MASTER_PORT.");
  }
}

/// Rank 0 may begin later than this rank.
RankStore reachStore(const Launch& launch, const Meeting& meeting) {
  const std::string place = meetingPlaceOf(launch);
  const std::string rank = "rank " + std::to_string(launch.rank);
  try {
    return connectedStore(launch, meeting.noted);
  } catch (const std::exception&) {
    meeting.note(rank + " waits for rank 0, which can't be reached at " + place);
  }
  try {
    return connectedStore(launch, meeting.givenUp - meeting.noted);
  } catch (const std::exception& error) {
    throw Error(place,
                rank + " can't reach rank 0 there: " + reasonOf(error),
                "Look whether rank 0 has started, and whether this host may connect to it.");
  }
}

}  // namespace

RankStore storeOf(const Launch& launch, const Meeting& meeting) {
  FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, kFatalOnly);
  const bool serves = launch.isFirst() && !launch.storeIsServed;
  return serves ? serveStore(launch, meeting) : reachStore(launch, meeting);
}

RankStore connectedStore(const Launch& launch, milliseconds timeout) {
  return openStore(launch, /*serves=*/false, timeout);
}

std::string meetingPlaceOf(const Launch& launch) {
  return launch.host + ":" + std::to_string(launch.port);
}

std::vector<std::uint8_t> bytesOf(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string textOf(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string reasonOf(const std::exception& error) {
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch != nullptr ? torch->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace lambda
