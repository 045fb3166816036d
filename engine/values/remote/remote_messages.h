#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/enum_names.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/run_request.h"

namespace lambda {

/// The version of the messages below. Programs of different versions do not understand each other.
inline constexpr int kRemoteVersion = 1;

enum class NewsKind {
  hello,   ///< The first message: `version`, `program`, `host`, `folder`.
  run,     ///< The state of a run, new or changed: `run`, `trains`, `files`.
  part,    ///< `bytes` bytes follow, which replace everything in the file from `from` on.
  gone,    ///< `run` does not exist any more.
  answer,  ///< To the request `id`: nothing, or why it is refused. A start has its `run`.
  alive    ///< Nothing is new. Comes at least every few seconds.
};

template <>
inline constexpr EnumNames<6> kNamesOf<NewsKind>{
    {"hello", "run", "part", "gone", "answer", "alive"}};

/// A file of a run that is only sent on request.
struct RemoteFile {
  std::string name;           ///< Within the run, such as "checkpoints/best.safetensors".
  std::uint64_t bytes = 0;    ///< Its size.
  std::int64_t modified = 0;  ///< Nanoseconds since 1970.

  bool operator==(const RemoteFile&) const = default;
};

/// A message from `lambda follow`, as one line of JSON.
struct RemoteNews {
  NewsKind kind = NewsKind::alive;
  int version = 0;
  std::string program = {};  ///< The version of Lambda Studio.
  std::string host = {};
  std::string folder = {};  ///< The absolute path of the folder that is followed.
  std::string run =
      {};  ///< The run's folder, relative to that one, or its name where that is a run.
  bool trains = false;                 ///< A process trains the run.
  std::vector<RemoteFile> files = {};  ///< Those that are sent on request, by name.
  std::string file = {};               ///< Name of the file that a part belongs to.
  std::uint64_t from = 0;              ///< Offset of the part in the file.
  std::uint64_t bytes = 0;             ///< Length of the part.
  std::optional<RemoteFile> whole =
      std::nullopt;  ///< With the last part of a requested file: what it is.
  std::uint64_t id = 0;
  std::string refusal = {};  ///< Empty = the request was met.

  bool operator==(const RemoteNews&) const = default;
};

enum class WishKind {
  have,    ///< The reader has the first `bytes` bytes of a file, which end with `lastBytes`.
  begin,   ///< The reader has told what it has: send the rest.
  fetch,   ///< Send a file.
  ask,     ///< Leave `request` for the run.
  start,   ///< Train `config` as a new run.
  resume,  ///< Continue the run.
};

template <>
inline constexpr EnumNames<6> kNamesOf<WishKind>{
    {"have", "begin", "fetch", "ask", "start", "resume"}};

/// A message to `lambda follow`, as one line of JSON.
struct RemoteWish {
  WishKind kind = WishKind::begin;
  std::uint64_t id = 0;  ///< Chosen by the one who asks; its answer has it. 0 = without an answer.
  std::string run = {};
  std::string file = {};
  std::uint64_t bytes = 0;
  std::string lastBytes = {};  ///< In hexadecimal digits.
  std::optional<RunRequest> request = std::nullopt;
  std::optional<RunConfig> config = std::nullopt;

  bool operator==(const RemoteWish&) const = default;
};

/// The largest part of a file in one message, and the largest record of a run, which comes whole.
inline constexpr std::uint64_t kLargestPart = 1 << 18;
inline constexpr std::uint64_t kLargestRecord = 32 << 20;

}  // namespace lambda
