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
    : QObject(parent), budget_(budget), lane_(kReaderNiceness) {}

void ProbeReader::open(const std::filesystem::path& inspectionFolder,
                       std::vector<InspectableLayer> layers) {
  epochs_.clear();
  layers_ = std::move(layers);
  const auto readAll =
      [folder = inspectionFolder, layers = layers_, budget = budget_](QPromise<Reading>& promise) {
        Reading reading;
        std::size_t numbers = 0;
        for (const std::filesystem::path& file : probeSnapshotsOf(folder)) {
          if (promise.isCanceled()) return;
          try {
            auto probe = std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file, layers));
            Epoch epoch{.file = file, .epoch = probe->epoch, .norms = {}, .probe = nullptr};
            for (const ProbeLayer& layer : probe->layers) {
              epoch.norms[layer.name] = normsOf(*probe, layer.name);
            }
            numbers += numbersIn(*probe);
            if (numbers <= budget) epoch.probe = std::move(probe);
            reading.epochs.push_back(std::move(epoch));
          } catch (const std::exception& error) {
            // The other epochs can still be played.
            if (reading.problem.isEmpty()) reading.problem = QString::fromStdString(error.what());
          }
        }
        promise.addResult(std::move(reading));
      };
  reading_.followNewest(
      lane_.run<Reading>(readAll),
      [this](const Reading& reading) {
        epochs_ = reading.epochs;
        Q_EMIT opened(reading.problem);
      },
      [this](const QString& problem) { Q_EMIT opened(problem); });
}

int ProbeReader::epochAt(int index) const {
  return index >= 0 && index < count() ? epochs_[static_cast<std::size_t>(index)].epoch : 0;
}

std::shared_ptr<const ProbeSnapshot> ProbeReader::probe(int index) {
  if (index < 0 || index >= count()) return nullptr;
  reading_.cancel();
  const Epoch& epoch = epochs_[static_cast<std::size_t>(index)];
  if (epoch.probe) return epoch.probe;
  // The file could be read before: where it can't be now, somebody has just removed the run.
  reading_.follow(
      lane_.run([file = epoch.file, layers = layers_] {
        return std::make_shared<const ProbeSnapshot>(readProbeSnapshot(file, layers));
      }),
      [this](const std::shared_ptr<const ProbeSnapshot>& probe) { Q_EMIT probeRead(probe); },
      [this](const QString& problem) { Q_EMIT probeLost(problem); });
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
