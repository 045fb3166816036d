#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <QObject>
#include <QString>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"
#include "widgets/work/work.h"

namespace lambda {

class CheckpointService;

using PredictionsPointer = std::shared_ptr<const Predictions>;

/// The predictions of checkpoints for all images of a split, for all pages: each is computed once,
/// also where several pages ask for it, and again only where the file of the checkpoint is another.
/// So the test set is scored, and the scoring counted, once for each checkpoint.
///
/// A checkpoint is named by its file, or by the folder of its run, which stands for the best one,
/// or for the last one where there is no best.
class PredictionStore : public QObject {
  Q_OBJECT

 public:
  struct Entry {
    PredictionsPointer predictions;  ///< The last result; null before the first.
    bool isRunning = false;
    qint64 done = 0;
    qint64 total = 0;  ///< 0 = the weights and the images are still being read.
    QString failure;   ///< Why the last attempt failed: what happened, why and what to do.

    bool operator==(const Entry&) const = default;
  };

  /// `checkpoints` outlives the store.
  explicit PredictionStore(CheckpointService& checkpoints, QObject* parent = nullptr);

  /// What is known; an empty entry where nothing was asked for.
  Entry entry(const std::filesystem::path& checkpoint, Split split) const;

  /// Classifies every image of the split, unless that was done or is under way.
  void ask(const std::filesystem::path& checkpoint, Split split);
  void cancel(const std::filesystem::path& checkpoint, Split split);

 Q_SIGNALS:
  /// An entry has changed.
  void changed();

 private:
  using Key = std::pair<std::filesystem::path, Split>;

  /// A file and the time of its content.
  struct Place {
    std::filesystem::path file;
    std::filesystem::file_time_type written;
  };

  struct Known {
    Entry entry;
    std::filesystem::file_time_type written;  ///< Of the file that entry.predictions belong to.
    std::unique_ptr<Work> attempt;            ///< To classify; the last one.
  };

  static Place placeOf(const std::filesystem::path& checkpoint);
  std::filesystem::path fileOf(const std::filesystem::path& checkpoint) const;
  Known& knownAt(const Key& key);
  void classify(const Key& asked, const Place& place);
  template <class Change>
  void end(const Key& key, Change change);

  CheckpointService& checkpoints_;
  std::map<Key, Known> known_;  ///< By the file of the checkpoint.
  /// The files that runs stand for, as they were found when somebody asked.
  std::map<std::filesystem::path, std::filesystem::path> files_;
};

}  // namespace lambda
