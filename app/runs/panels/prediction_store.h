#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <QObject>
#include <QString>

#include "app/session/inspection_session.h"
#include "engine/values/run/predictions.h"

namespace lambda {

/// The predictions of runs for the images of a split, as far as they were requested in this window.
class PredictionStore : public QObject {
  Q_OBJECT

 public:
  struct Entry {
    std::shared_ptr<const Predictions> predictions;  ///< The last result; null before the first.
    bool isRunning = false;
    qint64 done = 0;
    qint64 total = 0;  ///< 0 = the data set is still being read.
    QString failure;   ///< Why the last attempt failed: what happened, why and what to do.
  };

  /// `inspection` outlives the store.
  explicit PredictionStore(InspectionSession& inspection, QObject* parent = nullptr);

  /// The known predictions; an empty entry where there are none.
  Entry entry(const std::filesystem::path& run, Split split) const;

  /// Classifies every image of the split with the run's best checkpoint. For the test set this
  /// counts as a scoring.
  void ask(const std::filesystem::path& run, Split split);
  void cancel(const std::filesystem::path& run, Split split);

 Q_SIGNALS:
  void changed(const std::filesystem::path& run, lambda::Split split);

 private:
  using Key = std::pair<std::filesystem::path, Split>;

  template <class Change>
  void update(const Key& key, bool isLast, Change change);

  InspectionSession& inspection_;
  std::map<Key, Entry> entries_;
  std::map<Key, quint64> requests_;  ///< Those under way, with their numbers.
};

}  // namespace lambda
