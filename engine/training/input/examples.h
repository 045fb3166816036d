#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/data/dataset.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// Examples on which a network is scored, as it gets them: images, or sequences of tokens. Lives on
/// one thread.
class Examples {
 public:
  virtual ~Examples() = default;

  virtual std::int64_t count() const = 0;

  /// Examples [first, first + count) and their labels, not augmented. Throws Error where they can
  /// no longer be read.
  virtual TensorBatch batch(std::int64_t first, std::int64_t count) const = 0;

  /// How many are scored at a time.
  virtual std::int64_t together() const = 0;

  /// The precision in which a network computes on them.
  virtual Precision precision() const = 0;

  /// The views of an image by whose mean logits it is classified.
  virtual TestViews views() const { return {}; }

  /// SHA-256 of all of them with their labels, as 64 hexadecimal digits.
  virtual std::string digest() const = 0;

  /// The most frequent class; nothing where they have no classes.
  virtual std::optional<MajorityClass> majority() const { return std::nullopt; }
};

/// Images of a data set; both must outlive this.
class ImageExamples : public Examples {
 public:
  ImageExamples(const LabeledImages& images, const BatchMaker& maker)
      : images_(images), maker_(maker) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(images_.count()); }

  TensorBatch batch(std::int64_t first, std::int64_t count) const override {
    return maker_.plain(images_, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }

  std::int64_t together() const override { return 250; }

  Precision precision() const override { return maker_.precision(); }

  TestViews views() const override { return maker_.views(); }

  std::string digest() const override { return digestOf(images_); }

  std::optional<MajorityClass> majority() const override { return majorityOf(images_); }

 private:
  const LabeledImages& images_;
  const BatchMaker& maker_;
};

}  // namespace lambda
