#pragma once

#include "engine/values/config/fields.h"
#include "engine/values/run/run_request.h"

namespace lambda {

// The fields of what is asked of a run. The ranges are those of the settings, which the run checks.

template <Either<CheckpointRequest> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"everyEpochs", "as checkpoints.everyEpochs"}, value.everyEpochs);
  visit(Field{"keepEpochs", "as checkpoints.keepEpochs"}, value.keepEpochs);
  visit(Field{"keepBest", "as checkpoints.keepBest"}, value.keepBest);
  visit(Field{"everyMinutes", "as checkpoints.everyMinutes"}, value.everyMinutes);
}

template <Either<RunRequest> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"ask", "what the run shall do"}, value.kind);
  visit(Field{"learningRateFactor", "as recipe.learningRateFactor"},
        value.change.learningRateFactor);
  visit(Field{"epochs", "as recipe.epochs"}, value.change.epochs);
  visit(Field{"checkpoints", "as checkpoints"}, value.change.checkpoints);
}

}  // namespace lambda
