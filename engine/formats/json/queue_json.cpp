#include "engine/formats/json/queue_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

template <Either<QueuedRun> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"obstacle", "why its last start was impossible"}, value.obstacle);
  visit(Field{"config", "configuration of the run"}, value.config);
}

namespace {

constexpr JsonLimits kQueueLimits{16 << 20, 16};

/// The document of the file.
struct Queue {
  std::vector<QueuedRun> runs;
};

template <Either<Queue> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"runs", "runs that wait to be trained, the next one first", 0, 1000}, value.runs);
}

}  // namespace

std::string toJson(const std::vector<QueuedRun>& queue) {
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, Queue{queue});
  return formatJson(document);
}

std::vector<QueuedRun> queueFromJson(std::string_view text, const std::string& file) {
  const nlohmann::json document = parseJson(text, file, kQueueLimits);
  const FieldReader reader(file, nullptr);
  reader.requireSchema(document);
  Queue queue;
  reader.readFields(document, "", queue, {"schema"});
  return queue.runs;
}

}  // namespace lambda
