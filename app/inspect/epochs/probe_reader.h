#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QObject>
#include <QString>

#include "app/inspect/probe_view.h"
#include "app/session/worker_thread.h"
#include "engine/values/probe_snapshot.h"

namespace lambda {

/// The stored snapshots of a run, read on a thread of its own. All are read once, for what holds
/// over all epochs; as many as fit a budget stay in memory, the others are read again when they are
/// asked for.
class ProbeReader : public QObject {
  Q_OBJECT

 public:
  explicit ProbeReader(QObject* parent = nullptr);
  ~ProbeReader() override;

  /// Reads RUN/inspection anew. Answered by opened(), also where there is nothing.
  void open(const std::filesystem::path& inspectionFolder);

  /// How many epochs there are; 0 before opened().
  int count() const { return static_cast<int>(epochs_.size()); }

  int epochAt(int index) const;

  /// Null where it has to be read again: probeRead() follows.
  std::shared_ptr<const ProbeSnapshot> probe(int index);

  /// The norms of a layer over all epochs, in their order.
  std::vector<ProbeNorms> norms(const std::string& layer) const;

 Q_SIGNALS:
  /// `problem` tells of files that can't be read; empty where there are none.
  void opened(const QString& problem);
  void probeRead(int index, std::shared_ptr<const lambda::ProbeSnapshot> probe);
  /// It was there when the folder was opened, and no longer is.
  void probeLost(int index, const QString& reason);

 private:
  struct Epoch {
    std::filesystem::path file;
    int epoch = 0;
    std::map<std::string, ProbeNorms> norms;
    std::shared_ptr<const ProbeSnapshot> probe;  ///< Null beyond the budget.
  };

  struct Reading {
    std::vector<Epoch> epochs;
    QString problem;
  };

  static Reading readAll(const std::filesystem::path& folder);
  void answer(std::function<void()> call);

  std::vector<Epoch> epochs_;
  quint64 opening_ = 0;  ///< Answers to older ones are dropped.
  WorkerThread thread_;
};

}  // namespace lambda
