#pragma once

#include "engine/values/config/fields.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/run/checkpoint_header.h"
#include "engine/values/run/evaluation_record.h"
#include "engine/values/run/run_record.h"

namespace lambda {

// The fields of everything that a run writes; fields.h lists those of its configuration.

inline constexpr double kLargestCount = 9007199254740992;  // 2^53: exact in every JSON reader

template <Either<Scores> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"loss", "mean loss"}, value.loss);
  const ScoreTraits score = traitsOf(value.scoredBy);
  visit(Field{score.key, score.meaning}, value.score);
}

template <Either<MajorityClass> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "name of the class"}, value.name);
  visit(Field{"share", "its share of the images, the accuracy of always guessing it", 0, 1},
        value.share);
}

template <Either<DataDigest> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"train", "of training and validation images; empty = not known"}, value.train);
  visit(Field{"test", "of the test images; empty = not known"}, value.test);
}

template <Either<NumberScale> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"name", "name of the number"}, value.name);
  visit(Field{"mean", "of the training images"}, value.mean);
  visit(Field{"deviation", "of the training images"}, value.deviation);
}

template <Either<BatchRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"step", "steps done", 0, kLargestCount}, value.step);
  visit(Field{"epoch", "running epoch, from 1", 0, 1e9}, value.epoch);
  visit(Field{"seconds", "training time so far"}, value.seconds);
  visit(Field{"loss", "mean loss of the batch"}, value.loss);
  visit(Field{traitsOf(value.scoredBy).key, "score of the batch"}, value.score);
  visit(Field{"learningRate", "learning rate of the step"}, value.learningRate);
  visit(Field{"gradientNorm", "norm of all gradients before clipping"}, value.gradientNorm);
  visit(Field{"imagesPerSecond", "training throughput"}, value.imagesPerSecond);
  visit(Field{"allReduceSeconds", "with many processes: waited for the sum of the gradients"},
        value.allReduceSeconds);
}

template <Either<EpochRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"step", "steps done", 0, kLargestCount}, value.step);
  visit(Field{"epoch", "the epoch that ended, from 1", 0, 1e9}, value.epoch);
  visit(Field{"seconds", "training time so far"}, value.seconds);
  visit(Field{"train", "scores on a fixed sample of the training images"}, value.train);
  visit(Field{"validation", "scores on the validation images"}, value.validation);
  visit(Field{"learningRate", "learning rate at the end"}, value.learningRate);
  visit(Field{"imagesPerSecond", "training throughput of the epoch"}, value.imagesPerSecond);
  visit(Field{"dataShare", "share of the training time spent on making batches"}, value.dataShare);
}

template <Either<EventRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"step", "steps done", 0, kLargestCount}, value.step);
  visit(Field{"epoch", "running epoch, from 1", 0, 1e9}, value.epoch);
  visit(Field{"seconds", "training time so far"}, value.seconds);
  visit(Field{"event", "what happened"}, value.kind);
  visit(Field{"text", "details of the event"}, value.text);
}

template <Either<EvaluationRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"time", "time of the evaluation, UTC, ISO 8601"}, value.time);
  visit(Field{"checkpoint", "name of the checkpoint file"}, value.checkpoint);
  visit(Field{"epoch", "epochs that its weights have been trained", 0, 1e9}, value.epoch);
  visit(Field{"step", "steps that its weights have been trained", 0, kLargestCount}, value.step);
  visit(Field{"split", "train, validation or test"}, value.split);
  visit(Field{"images", "images scored", 0, kLargestCount}, value.images);
  visit(Field{"loss", "mean loss"}, value.scores.loss);
  const ScoreTraits score = traitsOf(value.scores.scoredBy);
  visit(Field{score.key, score.meaning, score.lowest, score.highest}, value.scores.score);
  visit(Field{"data", "place of other data than the run's; empty = the run's"}, value.data);
  visit(Field{"dataSha256", "digest of the images and labels; empty = not known"},
        value.dataSha256);
}

template <Either<PrecisionRates> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"float32", "FLOP/s of a convolution in float32; 0 = not measured"}, value.float32);
  visit(Field{"bfloat16", "FLOP/s of a convolution in bfloat16; 0 = not measured"}, value.bfloat16);
}

template <Either<Environment> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"program", "version of Lambda Studio"}, value.program);
  visit(Field{"commit", "commit that the program was built from"}, value.commit);
  visit(Field{"torch", "version of LibTorch"}, value.torch);
  visit(Field{"device", "name of the device"}, value.device);
  visit(Field{{"threads", "threads for tensor work", 0, 65536}, {"Threads"}}, value.threads);
  visit(Field{"cpu", "name of the processor"}, value.cpu);
  visit(Field{"host", "name of the machine"}, value.host);
  visit(Field{"started", "start of the run, UTC, ISO 8601"}, value.started);
  visit(Field{{"threadChanges",
               "changes of the number of threads while training; not 0: not repeatable bit for bit",
               0,
               1e9},
              {"Thread changes", Stepping::one, "", "none"}},
        value.threadChanges);
  visit(Field{"precisionRates", "measured rates that an automatic precision was chosen by"},
        value.precisionRates);
  visit(Field{"ranks", "processes that trained it together", 1, 1048576}, value.ranks);
}

template <Either<RankRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"host", "name of its machine"}, value.host);
  visit(Field{"device", "name of its device"}, value.device);
  visit(Field{"threads", "its threads for tensor work", 0, 65536}, value.threads);
  visit(Field{"imagesPerSecond", "its throughput while it did not wait"}, value.imagesPerSecond);
  visit(Field{"waitShare", "share of its time in which it waited for the others", 0, 1},
        value.waitShare);
}

template <Either<Lineage> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"parentRun", "run folder that this run was forked or duplicated from"},
        value.parentRun);
  visit(Field{"parentCheckpoint", "checkpoint that it was forked from; empty = duplicated"},
        value.parentCheckpoint);
  visit(Field{"parentStep", "step of that checkpoint", 0, kLargestCount}, value.parentStep);
}

template <Either<LiveSettings> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"learningRateFactor", "factor of the learning rate", 0, 1000},
        value.learningRateFactor);
  visit(Field{"epochs", "passes over the training images", 1, 100000}, value.epochs);
  visit(Field{"checkpoints", "which checkpoints are kept on disk"}, value.checkpoints);
}

template <Either<RunChange> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"step", "steps done before the change", 0, kLargestCount}, value.step);
  visit(Field{"epoch", "epochs done before the change", 0, 1e9}, value.epoch);
  visit(Field{"batch", "batches of the running epoch done before the change", 0, 1e9}, value.batch);
  visit(Field{"before", "the settings before the change"}, value.before);
  visit(Field{"after", "the settings after the change"}, value.after);
}

template <Either<DataChange> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"step", "steps done before the change", 0, kLargestCount}, value.step);
  visit(Field{"before", "digest of the training images before the change"}, value.before);
  visit(Field{"after", "digest of the training images since the change"}, value.after);
}

template <Either<NetworkInput> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"mean", "mean of each channel of the training images, pixels in 0..1", 0, 65536},
        value.normalization.mean);
  visit(Field{"deviation", "standard deviation of each channel", 0, 65536},
        value.normalization.deviation);
  visit(Field{"classNames", "names of the classes, in the order of the logits", 0, kMostClasses},
        value.classNames);
  visit(Field{"numbers", "of a regression: what the outputs mean", 0, kMostClasses}, value.numbers);
}

template <Either<RunRecord> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"status", "running, paused, stopped, finished or failed"}, value.status);
  visit(Field{"statusText", "why the run failed and what to do"}, value.statusText);
  visit(Field{"epochsDone", "epochs done", 0, 1e9}, value.epochsDone);
  const ScoreTraits score = traitsOf(value.scoredBy);
  visit(Field{score.bestKey, "score of the best epoch in validation", score.lowest, score.highest},
        value.bestValidationScore);
  visit(Field{"bestValidationLoss", "validation loss of the same epoch"}, value.bestValidationLoss);
  visit(Field{score.testKey, "score on the test set", score.lowest, score.highest},
        value.testScore);
  visit(Field{"testEvaluations", "how often the test set was scored", 0, 1e9, "testLooks"},
        value.testEvaluations);
  visit(Field{"testLoss", "mean loss on the test set"}, value.testLoss);
  visit(Field{"validationMajority", "most frequent class of the validation images"},
        value.validationMajority);
  visit(Field{"testMajority", "most frequent class of the test set"}, value.testMajority);
  visit(Field{"trainSeconds", "training time"}, value.trainSeconds);
  visit(Field{"imagesPerSecond", "training throughput"}, value.imagesPerSecond);
  visit(Field{"tags", "tags for searching", 0, 1000}, value.tags);
  visit(Field{"notes", "free text"}, value.notes);
  visit(Field{"license", "licence of the weights, for exports"}, value.license);
  visit(Field{"trainingExamples", "examples that an epoch trains on", 0, kLargestCount},
        value.trainingExamples);
  visit(Field{"batchesPerEpoch", "batches of an epoch; 0 = not known", 0, 1e9},
        value.batchesPerEpoch);
  visit(Field{"parameters", "number of learned values", 0, kLargestCount}, value.parameters);
  visit(Field{"flops", "FLOPs of the forward pass of one image", 0, kLargestCount}, value.flops);
  visit(Field{"pattern", "mixers of each stage, such as C-C-L-L"}, value.pattern);
  visit(Field{"environment", "program and machine of the run"}, value.environment);
  visit(Field{"ranks", "the processes that train it together, if they are many", 0, 1048576},
        value.ranks);
  visit(Field{"lineage", "run and checkpoint that it was forked from"}, value.lineage);
  visit(Field{"input", "how images become the network's input, and its classes"}, value.input);
  visit(Field{"dataSha256", "digests of the data set"}, value.dataSha256);
  visit(Field{"dataChanges", "changes of the training images between two starts of the run"},
        value.dataChanges);
  visit(Field{"config", "configuration of the run"}, value.config);
  visit(Field{"changes", "changes of the configuration while it trained", 0, kMostChanges},
        value.changes);
}

template <Either<TrainingProgress> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"epoch", "epochs done", 0, 1e9}, value.epoch);
  visit(Field{"batch", "batches done in the running epoch", 0, 1e9}, value.batch);
  visit(Field{"step", "steps done", 0, kLargestCount}, value.step);
  visit(Field{"seconds", "training time so far"}, value.seconds);
  visit(Field{"images", "images trained on so far", 0, kLargestCount}, value.images);
  visit(Field{"epochSeconds", "training time in the running epoch"}, value.epochSeconds);
  visit(Field{"epochDataSeconds", "part of epochSeconds spent on making batches"},
        value.epochDataSeconds);
  const ScoreTraits score = traitsOf(value.scoredBy);
  visit(Field{score.bestKey, "score of the best epoch in validation", score.lowest, score.highest},
        value.bestValidationScore);
  visit(Field{"bestValidationLoss", "validation loss of the same epoch"}, value.bestValidationLoss);
  visit(Field{"bestEpoch", "the epoch of the best validation, from 1; 0 = none", 0, 1e9},
        value.bestEpoch);
  visit(Field{"changes", "changes of settings so far", 0, kMostChanges}, value.changes);
  visit(Field{"metricsBytes", "length of metrics.jsonl"}, value.metricsBytes);
}

template <Either<CheckpointHeader> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"progress", "progress of the run"}, value.progress);
  visit(Field{"environment", "program and machine of the run"}, value.environment);
  visit(Field{"input", "how images become the network's input, and its classes"}, value.input);
  visit(Field{"dataSha256", "digests of the data set"}, value.dataSha256);
  visit(Field{"config", "configuration of the run"}, value.config);
}

}  // namespace lambda
