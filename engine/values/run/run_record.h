#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/precision_choice.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/network_input.h"
#include "engine/values/run/run_change.h"

namespace lambda {

/// Program and machine of a run. With the RunConfig it decides whether two runs may agree bit for
/// bit.
struct Environment {
  std::string program;  ///< Version of Lambda Studio.
  /// The commit that the program was built from, such as "b0c5ce9a1234" or, where files differed
  /// from it, "b0c5ce9a1234 with changes"; "unknown" if it was not built in a git clone.
  std::string commit;
  std::string torch;   ///< Version of LibTorch.
  std::string device;  ///< For example "cpu" or "NVIDIA H200".
  int threads = 0;     ///< Threads for tensor work; results on the CPU depend on it.
  std::string cpu;     ///< Name of the processor.
  std::string host;
  std::string started;            ///< UTC, ISO 8601, for example "2026-11-20T22:48:00Z".
  int ranks = 1;                  ///< Processes that train it together; results depend on it.
  int threadChanges = 0;          ///< During training; not 0: not repeatable bit for bit.
  PrecisionRates precisionRates;  ///< Measured rates, where the precision was automatic.

  bool operator==(const Environment&) const = default;
};

/// One of the processes that train a run together, over its latest epoch.
struct RankRecord {
  std::string host;
  std::string device;  ///< As in Environment.
  int threads = 0;
  double imagesPerSecond = 0;  ///< While it did not wait for the others.
  double waitShare = 0;        ///< Of its time, 0..1: in which it waited for the others.

  bool operator==(const RankRecord&) const = default;
};

/// SHA-256 of the images of a data set with their labels and the names of the classes, as
/// digestOf() computes it; empty where they were not read.
struct DataDigest {
  std::string train = {};  ///< Of training and validation together.
  std::string test = {};

  bool operator==(const DataDigest&) const = default;
};

/// The run and checkpoint that a run was forked from. A run that repeats another with other mixers
/// has no checkpoint; for all others it is empty.
struct Lineage {
  std::string parentRun;         ///< Name of the parent's folder.
  std::string parentCheckpoint;  ///< Name of the checkpoint within it.
  std::int64_t parentStep = 0;

  bool operator==(const Lineage&) const = default;
};

/// The description and the results of a run: the content of run.json.
struct RunRecord {
  RunConfig config;  ///< With the settings that are in effect after the changes so far.
  std::vector<RunChange> changes;  ///< While it trained, in order of time; see ChangeRequest.
  Environment environment;
  std::vector<RankRecord> ranks;  ///< In their order; none for a run in one process.
  Lineage lineage;
  RunStatus status = RunStatus::running;
  std::string statusText;  ///< Why it failed and what to do, when the status is failed.
  int epochsDone = 0;
  ScoreKind scoredBy = ScoreKind::accuracy;
  std::optional<double> bestValidationScore;        ///< Nothing before the first validation.
  std::optional<double> bestValidationLoss;         ///< Of the same epoch.
  std::optional<double> testScore;                  ///< Nothing before the test set was scored.
  std::optional<double> testLoss;                   ///< Of the same scoring.
  int testEvaluations = 0;                          ///< How often the test set was scored.
  std::optional<MajorityClass> validationMajority;  ///< Of the validation images.
  std::optional<MajorityClass> testMajority;  ///< Of the test set; nothing before it was scored.
  double trainSeconds = 0;                    ///< Pauses and evaluation excluded.
  double imagesPerSecond = 0;                 ///< Training throughput over the whole run.
  NetworkInput input;
  DataDigest dataSha256;                ///< The test set's is known once it was scored.
  std::vector<DataChange> dataChanges;  ///< In order of time; the last one led to dataSha256.
  std::vector<std::string> tags;
  std::string notes;
  std::string license;                ///< Of the weights, for exports; the user's choice.
  std::int64_t trainingExamples = 0;  ///< Of which an epoch trains on each once.
  int batchesPerEpoch = 0;
  std::int64_t parameters = 0;
  std::int64_t flops = 0;  ///< Forward pass of one image, 2 per multiply-add.
  std::string pattern;     ///< patternOf() of the network.

  bool operator==(const RunRecord&) const = default;
};

}  // namespace lambda
