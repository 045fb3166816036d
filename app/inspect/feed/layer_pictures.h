#pragma once

#include <string>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/training/training_session.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// Fetches the lambdas of layers that have not been shown yet, for the small pictures in the list
/// of layers: one after the other, while nobody asks for anything else.
class LayerPictures : public QObject {
  Q_OBJECT

 public:
  LayerPictures(TrainingSession& training,
                CheckpointService& checkpoints,
                QObject* parent = nullptr);

  /// Requests the missing lambdas for this image; replaces the former request.
  void start(const InspectionSource& source,
             const InspectionRequest& image,
             std::vector<std::string> layers);
  void stop();

  /// A person has requested something: fetching waits for a while.
  void hold();

  /// The layer's lambda has arrived in another way.
  void forget(const std::string& layer);

 Q_SIGNALS:
  void arrived(const std::string& layer, const lambda::Array& lambda);

 private:
  void askNext();

  TrainingSession& training_;
  CheckpointService& checkpoints_;
  InspectionSource source_;
  InspectionRequest image_;
  std::vector<std::string> missing_;
  bool isWaiting_ = false;  ///< A request is under way.
  Work inspection_{*this};
  QTimer timer_;
};

}  // namespace lambda
