#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/values/run/checkpoint_header.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// What a file of exported weights says of them, so that a reader needs nothing else.
struct WeightsDescription {
  CheckpointHeader header;
  bool averaged = false;                            ///< They are the run's moving average.
  std::optional<Scores> validation = std::nullopt;  ///< Of these weights.
  std::optional<Scores> test = std::nullopt;        ///< Of these weights.
  std::string license = {};                         ///< Chosen by the user; empty = none.
};

/// The metadata of a safetensors file with those weights, each entry a text or a JSON document:
///   format         "pt", which Python's loaders require
///   architecture   the network, as in a preset
///   input          shape, order of colours, how pictures are read (kPictureReading), mean and
///                  deviation of each channel
///   classes        names in the order of the logits
///   numbers        of a regression: name, mean and deviation of each; it means mean + deviation *
///                  output
///   training       versions, seed, data with its digests and its split, epochs, steps
///   scores         validation and test, where they were measured
///   license        the user's text
///   lambda_studio  the header of a checkpoint, by which this program reads the file again
/// Paths, the name of the machine, the run's place in a library and times are left out, so that the
/// same training gives the same bytes.
std::map<std::string, std::string> metadataOf(const WeightsDescription& description);

}  // namespace lambda
