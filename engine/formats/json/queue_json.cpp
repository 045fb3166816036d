#include "engine/formats/json/queue_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

template <Either<QueuedRun> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"obstacle", "why its last start was impossible"}, value.obstacle);
  visit(Field{"begun", "the run folder in which its training is about to begin"}, value.begun);
  visit(Field{"config", "configuration of the run"}, value.config);
}

namespace {

constexpr JsonLimits kQueueLimits{kLargestQueueBytes, 16};

/// The document of the file.
struct Queue {
  std::vector<QueuedRun> runs;
};

template <Either<Queue> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"runs", "runs that wait to be trained, the next one first", 0, kMostQueuedRuns},
        value.runs);
}

}  // namespace

std::string toJson(const std::vector<QueuedRun>& queue) {
  if (queue.size() > kMostQueuedRuns) {
    throw Error("the queue",
                "has " + std::to_string(queue.size()) + " runs, more than the " +
                    std::to_string(kMostQueuedRuns) + " that can be stored",
                "remove some of them");
  }
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, Queue{queue});
  std::string text = formatJson(document);
  if (text.size() > kQueueLimits.maxBytes) {
    throw Error("the queue", "is larger than can be stored", "remove some of its runs");
  }
  return text;
}

std::vector<QueuedRun> queueFromJson(std::string_view text, const std::string& file) {
  const FieldReader reader(file, nullptr);
  const nlohmann::json document = reader.upgraded(parseJson(text, file, kQueueLimits));
  Queue queue;
  reader.readFields(document, "", queue, {"schema"});
  return queue.runs;
}

}  // namespace lambda
