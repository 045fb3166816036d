#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include <QObject>

#include "app/session/inspection_session.h"

namespace lambda {

/// The predictions of one checkpoint for all images of a split, on request.
class ImagePredictions : public QObject {
  Q_OBJECT

 public:
  /// `session` outlives it.
  explicit ImagePredictions(InspectionSession& session, QObject* parent = nullptr);

  /// Null where they are not known.
  const PredictionsPointer& known() const { return known_; }

  /// The same, where they are those of this split.
  PredictionsPointer knownOf(Split split) const;

  /// Classifies the images of a split; nothing follows while another request is under way.
  void request(const std::filesystem::path& checkpoint, Split split);

  /// Forgets what is known and ends a request.
  void forget();

 Q_SIGNALS:
  /// What is known() has changed.
  void changed();
  /// None = no request is under way.
  void progressed(std::optional<std::pair<qint64, qint64>> doneOfTotal);
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void end();

  InspectionSession& session_;
  PredictionsPointer known_;
  quint64 request_ = 0;  ///< 0 = none is under way.
};

}  // namespace lambda
