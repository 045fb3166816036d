#pragma once

#include <string>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/inspect/feed/inspection_source.h"
#include "app/session/inspection_session.h"
#include "engine/values/inspection.h"

namespace lambda {

/// Fetches the lambdas of the layers that nobody has looked at yet, for the small pictures in the
/// list of layers: one after the other, when a checkpoint's session has nothing better to do.
class LayerPictures : public QObject {
  Q_OBJECT

 public:
  explicit LayerPictures(InspectionSession& inspection, QObject* parent = nullptr);

  /// What is missing for this image; replaces what was missing before. Live sources are left alone.
  void start(const InspectionSource& source,
             const InspectionRequest& image,
             std::vector<std::string> layers);
  void stop();

  /// A person has asked for something: this waits a while.
  void hold();

  /// The layer is known meanwhile.
  void forget(const std::string& layer);

 Q_SIGNALS:
  void arrived(const std::string& layer, const lambda::Array& lambda);

 private:
  void askNext();

  InspectionSession& inspection_;
  InspectionSource source_;
  InspectionRequest image_;
  std::vector<std::string> missing_;
  quint64 waitingId_ = 0;
  QTimer timer_;
};

}  // namespace lambda
