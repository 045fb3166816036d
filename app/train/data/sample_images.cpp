#include "app/train/data/sample_images.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/sources/data_sources.h"

namespace lambda {

namespace {

constexpr int kSamples = 60;

}  // namespace

SampleSet readSamples(const DataSource& source, int count) {
  SampleSet set;
  try {
    const LabeledImages all = readTrainingImages(source).train;
    std::vector<std::uint32_t> first(
        std::min<std::size_t>(all.count(), static_cast<std::size_t>(count)));
    std::iota(first.begin(), first.end(), 0U);
    set.images = selectImages(all, first);
    set.normalization = measureNormalization(all);
  } catch (const std::exception& error) {
    set = {};
    set.problem = QString::fromStdString(error.what());
  }
  return set;
}

SampleImages::SampleImages(QObject* parent) : QObject(parent), task_(*this) {}

void SampleImages::request(const DataSource& source) {
  if (source == source_) return;
  source_ = source;
  samples_.reset();
  task_.runNewest([source] { return readSamples(source, kSamples); },
                  [this](SampleSet set) {
                    samples_ = std::make_shared<const SampleSet>(std::move(set));
                    Q_EMIT arrived();
                  });
}

}  // namespace lambda
