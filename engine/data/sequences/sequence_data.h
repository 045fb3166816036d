#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/sequences/token_sequence.h"
#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The sequences of a data source: windows of a text, or drawn ones. Training and scoring read them
/// as they need them; nothing is held in memory. All functions may be called by several threads at
/// once.
class SequenceData {
 public:
  /// Throws Error if the source has images, a text can't be read or is too short, or the options
  /// don't fit each other.
  static std::unique_ptr<const SequenceData> open(const DataSource& source);

  virtual ~SequenceData() = default;

  virtual int vocabulary() const = 0;

  /// Tokens of each sequence.
  virtual int length() const = 0;

  /// Tells whether two data are the same, wherever they lie: SHA-256 as 64 hexadecimal digits, of
  /// the bytes of a text, all of which are read for it, or of the options of drawn sequences.
  virtual std::string digest() const = 0;

  virtual std::uint64_t count(Split split) const = 0;

  /// A sequence that is always the same; index < count(split). Validation and test are scored on
  /// these. Those of a text are the consecutive windows of the part, or trainCount of them at even
  /// distances; drawn ones do not depend on the seed of a run, so that runs are compared on the
  /// same sequences. Throws Error if a text was cut or can't be read.
  virtual TokenSequence sequence(Split split, std::uint64_t index) const = 0;

  /// The sequences of a step of training, [batchSize, length]; batchSize >= 0. Throws as above.
  ///
  /// Those of a text are windows that depend on (seed, step, place in the batch): in a larger
  /// batch, a step has the same windows and more. Drawn sequences are new in every step: place i of
  /// the batch has the one with the number step * batchSize + i, modulo 2^64, so that the series of
  /// sequences that a run sees is the same for every size of its batches.
  virtual TokenBatch trainingBatch(std::uint64_t seed, std::uint64_t step, int batchSize) const = 0;

  /// Warnings of what is left out of a text.
  virtual const std::vector<DataFinding>& findings() const = 0;
};

/// Shape, vocabulary and counts; what is left out are its notes.
DatasetInfo infoOf(const SequenceData& data);

/// Opens and reads everything; defects are reported, never thrown. Reports the digest as sha256.
DataReport checkSequences(const DataSource& source);

}  // namespace lambda
