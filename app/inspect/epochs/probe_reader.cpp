#include "app/inspect/epochs/probe_reader.h"

#include <exception>
#include <utility>

#include "engine/formats/inspection/probe_snapshot.h"

namespace lambda {

namespace {

constexpr int kReaderNiceness = 10;
constexpr std::size_t kBudget = 32u << 20;  // numbers that stay in memory, 4 bytes each

std::size_t numbersIn(const ProbeSnapshot& probe) {
  std::size_t numbers = probe.probabilities.size();
  for (const ProbeLayer& layer : probe.layers) {
    for (const Array* array : {&layer.lambdaContent,
                               &layer.lambdaPosition,
                               &layer.contributionsContent,
                               &layer.contributionsPosition,
                               &layer.embeddings,
                               &layer.embeddingChange}) {
      numbers += array->values.size();
    }
  }
  return numbers;
}

}  // namespace

ProbeReader::ProbeReader(QObject* parent) : QObject(parent), thread_(kReaderNiceness) {}

ProbeReader::~ProbeReader() = default;

void ProbeReader::answer(std::function<void()> call) {
  QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

ProbeReader::Reading ProbeReader::readAll(const std::filesystem::path& folder) {
  Reading reading;
  std::size_t numbers = 0;
  for (const std::filesystem::path& file : probeSnapshotsOf(folder)) {
    try {
      auto probe = std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file));
      Epoch epoch{.file = file, .epoch = probe->epoch, .norms = {}, .probe = nullptr};
      for (const ProbeLayer& layer : probe->layers) {
        epoch.norms[layer.name] = normsOf(*probe, layer.name);
      }
      numbers += numbersIn(*probe);
      if (numbers <= kBudget) epoch.probe = std::move(probe);
      reading.epochs.push_back(std::move(epoch));
    } catch (const std::exception& error) {
      // The other epochs can still be played.
      if (reading.problem.isEmpty()) reading.problem = QString::fromStdString(error.what());
    }
  }
  return reading;
}

void ProbeReader::open(const std::filesystem::path& inspectionFolder) {
  const quint64 opening = ++opening_;
  epochs_.clear();
  thread_.post([this, opening, inspectionFolder] {
    Reading reading;
    try {
      reading = readAll(inspectionFolder);
    } catch (const std::exception& error) {
      reading.problem = QString::fromStdString(error.what());
    }
    answer([this, opening, reading = std::make_shared<Reading>(std::move(reading))] {
      if (opening != opening_) return;
      epochs_ = std::move(reading->epochs);
      Q_EMIT opened(reading->problem);
    });
  });
}

int ProbeReader::epochAt(int index) const {
  return index >= 0 && index < count() ? epochs_[static_cast<std::size_t>(index)].epoch : 0;
}

std::shared_ptr<const ProbeSnapshot> ProbeReader::probe(int index) {
  if (index < 0 || index >= count()) return nullptr;
  const Epoch& epoch = epochs_[static_cast<std::size_t>(index)];
  if (epoch.probe) return epoch.probe;
  thread_.post([this, index, opening = opening_, file = epoch.file] {
    std::shared_ptr<const ProbeSnapshot> probe;
    try {
      probe = std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file));
    } catch (const std::exception&) {
      // The file could be read before, so that somebody has just removed the run.
      return;
    }
    answer([this, index, opening, probe] {
      if (opening != opening_ || index >= count()) return;
      Q_EMIT probeRead(index, probe);
    });
  });
  return nullptr;
}

std::vector<std::filesystem::path> ProbeReader::files() const {
  std::vector<std::filesystem::path> files;
  for (const Epoch& epoch : epochs_) files.push_back(epoch.file);
  return files;
}

std::vector<ProbeNorms> ProbeReader::norms(const std::string& layer) const {
  std::vector<ProbeNorms> norms;
  for (const Epoch& epoch : epochs_) {
    const auto found = epoch.norms.find(layer);
    if (found != epoch.norms.end()) {
      norms.push_back(found->second);
    } else {
      norms.push_back({.epoch = epoch.epoch});
    }
  }
  return norms;
}

}  // namespace lambda
