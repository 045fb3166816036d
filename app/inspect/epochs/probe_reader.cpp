#include "app/inspect/epochs/probe_reader.h"

#include <exception>
#include <utility>

#include "engine/formats/inspection/probe_snapshot.h"

namespace lambda {

namespace {

constexpr int kReaderNiceness = 10;

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

ProbeReader::ProbeReader(std::size_t budget, QObject* parent)
    : QObject(parent), budget_(budget), thread_(kReaderNiceness) {}

ProbeReader::~ProbeReader() {
  ++newest_;
}

void ProbeReader::answer(std::function<void()> call) {
  QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

ProbeReader::Reading ProbeReader::readAll(const std::filesystem::path& folder,
                                          const std::vector<InspectableLayer>& layers,
                                          quint64 request) const {
  Reading reading;
  std::size_t numbers = 0;
  for (const std::filesystem::path& file : probeSnapshotsOf(folder)) {
    if (request != newest_) break;
    try {
      auto probe = std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file, layers));
      Epoch epoch{.file = file, .epoch = probe->epoch, .norms = {}, .probe = nullptr};
      for (const ProbeLayer& layer : probe->layers) {
        epoch.norms[layer.name] = normsOf(*probe, layer.name);
      }
      numbers += numbersIn(*probe);
      if (numbers <= budget_) epoch.probe = std::move(probe);
      reading.epochs.push_back(std::move(epoch));
    } catch (const std::exception& error) {
      // The other epochs can still be played.
      if (reading.problem.isEmpty()) reading.problem = QString::fromStdString(error.what());
    }
  }
  return reading;
}

void ProbeReader::open(const std::filesystem::path& inspectionFolder,
                       std::vector<InspectableLayer> layers) {
  const quint64 request = ++newest_;
  epochs_.clear();
  layers_ = std::move(layers);
  thread_.post([this, request, inspectionFolder, layers = layers_] {
    Reading reading;
    try {
      reading = readAll(inspectionFolder, layers, request);
    } catch (const std::exception& error) {
      reading.problem = QString::fromStdString(error.what());
    }
    answer([this, request, reading = std::make_shared<Reading>(std::move(reading))] {
      if (request != newest_) return;
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
  const quint64 request = ++newest_;
  const Epoch& epoch = epochs_[static_cast<std::size_t>(index)];
  if (epoch.probe) return epoch.probe;
  thread_.post([this, request, file = epoch.file, layers = layers_] {
    if (request != newest_) return;
    std::shared_ptr<const ProbeSnapshot> probe;
    QString problem;
    try {
      probe = std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file, layers));
    } catch (const std::exception& error) {
      // The file could be read before, so that somebody has just removed the run.
      problem = QString::fromStdString(error.what());
    }
    answer([this, request, probe, problem] {
      if (request != newest_) return;
      if (probe) {
        Q_EMIT probeRead(probe);
      } else {
        Q_EMIT probeLost(problem);
      }
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
