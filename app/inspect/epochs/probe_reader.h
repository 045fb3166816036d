#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "app/inspect/probe_view.h"
#include "engine/values/inspection/probe_snapshot.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// Reads the stored snapshots of a run on a worker thread. All are read once, for the norms over
/// all epochs; as many as fit a budget stay in memory, the others are read again on request. Only
/// the newest request is answered, and the reading of all ends with it.
class ProbeReader : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t kBudget = 32u << 20;  ///< 128 MiB.

  /// `budget`: how many numbers of 4 bytes may stay in memory.
  explicit ProbeReader(std::size_t budget = kBudget, QObject* parent = nullptr);

  /// Reads RUN/inspection of a run whose network has these layers from the start. opened() follows,
  /// even where there is nothing.
  void open(const std::filesystem::path& inspectionFolder, std::vector<InspectableLayer> layers);

  /// The number of epochs; 0 before opened().
  int count() const { return static_cast<int>(epochs_.size()); }

  int epochAt(int index) const;

  /// The files of the epochs, in their order.
  std::vector<std::filesystem::path> files() const;

  /// The layers given to open().
  const std::vector<InspectableLayer>& layers() const { return layers_; }

  /// Null where the snapshot must be read again: probeRead() or probeLost() follows.
  std::shared_ptr<const ProbeSnapshot> probe(int index);

  /// The norms of a layer over all epochs, in their order.
  std::vector<ProbeNorms> norms(const std::string& layer) const;

 Q_SIGNALS:
  /// `problem` names files that can't be read; empty where there are none.
  void opened(const QString& problem);
  void probeRead(std::shared_ptr<const lambda::ProbeSnapshot> probe);
  /// The snapshot can't be read any more: what happened and why.
  void probeLost(const QString& reason);

 private:
  struct Epoch {
    std::filesystem::path file;
    int epoch = 0;
    std::map<std::string, ProbeNorms> norms;
    std::shared_ptr<const ProbeSnapshot> probe;  ///< Null where the budget is exceeded.
  };

  struct Reading {
    std::vector<Epoch> epochs;
    QString problem;
  };

  std::vector<InspectableLayer> layers_;
  std::vector<Epoch> epochs_;
  const std::size_t budget_;
  Lane lane_;
  Work reading_{*this};
};

}  // namespace lambda
