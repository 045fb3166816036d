#include "engine/data/sequences/sequence_data.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "engine/data/sequences/drawn_sequences.h"
#include "engine/data/sequences/text_split.h"
#include "engine/data/sequences/text_windows.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/text/byte_text.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// The seed of drawn sequences for validation and test, whatever the seed of a run.
constexpr std::uint64_t kScoredSeed = 10;

void requireNoErrors(const std::string& place, const std::vector<Problem>& problems) {
  if (hasErrors(problems)) throw Error(place, "it can't be used:\n" + toText(problems));
}

class TextData : public SequenceData {
 public:
  explicit TextData(const TextSource& source)
      : length_(source.length), trainCount_(source.trainCount), text_(ByteText::open(source.path)) {
    requireNoErrors(source.path, problemsOf(source, ""));
    requireNoErrors(source.path, splitProblems(text_.size(), TextShares(), length_, ""));
    split_ = splitByPosition(text_.size(), TextShares());
  }

  int vocabulary() const override { return TextSource::vocabulary; }

  int length() const override { return length_; }

  std::string digest() const override {
    Sha256 digest;
    std::vector<std::uint8_t> window(1 << 20);
    for (std::uint64_t offset = 0; offset < text_.size(); offset += window.size()) {
      const std::span<std::uint8_t> bytes =
          std::span(window).first(std::min<std::uint64_t>(window.size(), text_.size() - offset));
      text_.copy(offset, bytes);
      digest.update(std::as_bytes(bytes));
    }
    return digest.hex();
  }

  std::uint64_t count(Split split) const override {
    if (split == Split::train && trainCount_ > 0) return trainCount_;
    return windowsOf(split).count();
  }

  TokenSequence sequence(Split split, std::uint64_t index) const override {
    const ConsecutiveWindows windows = windowsOf(split);
    // An epoch of another number of sequences has them from the whole part too.
    return windowAt(text_, windows.offset(index * windows.count() / count(split)), length_);
  }

  TokenBatch trainingBatch(std::uint64_t seed, std::uint64_t step, int batchSize) const override {
    TokenBatch batch;
    for (const std::uint64_t offset :
         trainingWindows(split_.training, length_, seed, step, batchSize)) {
      batch.add(windowAt(text_, offset, length_));
    }
    return batch;
  }

  const std::vector<DataFinding>& findings() const override { return text_.findings(); }

 private:
  ConsecutiveWindows windowsOf(Split split) const { return {partOf(split), length_}; }

  const ByteRange& partOf(Split split) const {
    switch (split) {
      case Split::train:
        return split_.training;
      case Split::validation:
        return split_.validation;
      case Split::test:
        break;
    }
    return split_.test;
  }

  int length_;
  std::uint64_t trainCount_;
  ByteText text_;
  TextSplit split_;
};

template <class Source>
class DrawnData : public SequenceData {
 public:
  explicit DrawnData(const Source& source) : source_(source) {
    requireNoErrors(std::string(traitsOf(source).kind), problemsOf(source, ""));
  }

  int vocabulary() const override { return source_.vocabulary; }

  int length() const override { return source_.length; }

  std::string digest() const override {
    std::string text = "lambda sequences 1\n" + std::string(traitsOf(source_).kind) + "\n";
    visitFields(source_, [&](const Field& field, const auto& value) {
      text += std::string(field.name) + " " + std::to_string(value) + "\n";
    });
    return sha256Hex(text);
  }

  std::uint64_t count(Split split) const override {
    switch (split) {
      case Split::train:
        return source_.trainCount;
      case Split::validation:
        return source_.validationCount;
      case Split::test:
        break;
    }
    return source_.testCount;
  }

  TokenSequence sequence(Split split, std::uint64_t index) const override {
    return drawSequence(source_, kScoredSeed, split, index);
  }

  TokenBatch trainingBatch(std::uint64_t seed, std::uint64_t step, int batchSize) const override {
    TokenBatch batch;
    const std::uint64_t first = step * static_cast<std::uint64_t>(batchSize);
    for (int i = 0; i < batchSize; ++i) {
      batch.add(drawSequence(source_, seed, Split::train, first + i));
    }
    return batch;
  }

  const std::vector<DataFinding>& findings() const override { return findings_; }

 private:
  Source source_;
  std::vector<DataFinding> findings_;
};

std::unique_ptr<const SequenceData> opened(const TextSource& source) {
  return std::make_unique<TextData>(source);
}

std::unique_ptr<const SequenceData> opened(const RecallSource& source) {
  return std::make_unique<DrawnData<RecallSource>>(source);
}

std::unique_ptr<const SequenceData> opened(const CopySource& source) {
  return std::make_unique<DrawnData<CopySource>>(source);
}

}  // namespace

std::unique_ptr<const SequenceData> SequenceData::open(const DataSource& source) {
  const auto open = []<class Source>(const Source& options) -> std::unique_ptr<const SequenceData> {
    if constexpr (SequenceSource<Source>) {
      return opened(options);
    } else {
      throw Error(textOf(options), "has images, not sequences");
    }
  };
  return std::visit(open, source);
}

DatasetInfo infoOf(const SequenceData& data) {
  const auto count = [&](Split split) { return static_cast<std::int64_t>(data.count(split)); };
  DatasetInfo info{.shape = {1, 1, data.length()},
                   .task = Task::tokens,
                   .classes = data.vocabulary(),
                   .classNames = {},
                   .trainCount = count(Split::train) + count(Split::validation),
                   .testCount = count(Split::test),
                   .validationCount = count(Split::validation)};
  for (const DataFinding& finding : data.findings()) info.notes.push_back(finding.text);
  return info;
}

DataReport checkSequences(const DataSource& source) {
  DataReport report;
  report.source = textOf(source);
  try {
    const auto data = SequenceData::open(source);
    report.findings = data->findings();
    report.sha256 = data->digest();
    report.info = infoOf(*data);
    report.usable = true;
  } catch (const Error& error) {
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
  }
  return report;
}

}  // namespace lambda
