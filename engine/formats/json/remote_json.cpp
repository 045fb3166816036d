#include "engine/formats/json/remote_json.h"

#include <vector>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/config/request_fields.h"

namespace lambda {

template <Either<RemoteFile> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "name within the run"}, value.name);
  visit(Field{"bytes", "size"}, value.bytes);
  visit(Field{"modified", "nanoseconds since 1970"}, value.modified);
}

template <Either<RemoteNews> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"news", "kind of the message"}, value.kind);
  visit(Field{"version", "version of the messages"}, value.version);
  visit(Field{"program", "version of Lambda Studio"}, value.program);
  visit(Field{"host", "name of the machine"}, value.host);
  visit(Field{"folder", "the folder that is followed"}, value.folder);
  visit(Field{"run", "the run's folder in it"}, value.run);
  visit(Field{"trains", "whether a process trains the run"}, value.trains);
  visit(Field{"files", "files that are sent on request", 0, 100'000}, value.files);
  visit(Field{"file", "the file of the part"}, value.file);
  visit(Field{"from", "offset of the part"}, value.from);
  visit(Field{"bytes", "length of the part"}, value.bytes);
  visit(Field{"whole", "the file, with its last part"}, value.whole);
  visit(Field{"id", "number of the request"}, value.id);
  visit(Field{"refusal", "why the request is refused"}, value.refusal);
}

template <Either<RemoteWish> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"wish", "kind of the message"}, value.kind);
  visit(Field{"id", "number of the request"}, value.id);
  visit(Field{"run", "the run's folder"}, value.run);
  visit(Field{"file", "a file of the run"}, value.file);
  visit(Field{"bytes", "bytes of the file that are there"}, value.bytes);
  visit(Field{"lastBytes", "the last of them"}, value.lastBytes);
  visit(Field{"request", "what the run shall do"}, value.request);
  visit(Field{"config", "the run to train"}, value.config);
}

namespace {

constexpr JsonLimits kMessageLimits{kLongestMessage, 16};

template <class Message>
std::string lineOf(const Message& message) {
  nlohmann::ordered_json object;
  appendFields(object, message);
  return formatJsonLine(object);
}

/// Unknown keys are ignored: those of a later version that changes nothing else.
template <class Message>
Message messageOf(std::string_view line, const std::string& sender, const char* kind) {
  const FieldReader reader(sender, nullptr);
  const nlohmann::json object = parseJson(line, sender, kMessageLimits);
  Message message;
  reader.readFields(object, "", message);
  if (!object.contains(kind)) reader.fail(kind, "it is missing");
  return message;
}

}  // namespace

std::string toJson(const RemoteNews& news) {
  return lineOf(news);
}

std::string toJson(const RemoteWish& wish) {
  return lineOf(wish);
}

RemoteNews remoteNewsFromJson(std::string_view line, const std::string& sender) {
  return messageOf<RemoteNews>(line, sender, "news");
}

RemoteWish remoteWishFromJson(std::string_view line, const std::string& sender) {
  return messageOf<RemoteWish>(line, sender, "wish");
}

}  // namespace lambda
