#pragma once

#include <cstdint>
#include <vector>

#include "app/inspect/modes/inspect_mode.h"

namespace lambda {

class CheckpointService;
class GenerateView;

/// Lets the network write, where it is one of tokens.
class GenerateMode : public InspectMode {
  Q_OBJECT

 public:
  explicit GenerateMode(CheckpointService& checkpoints, QObject* parent = nullptr);

  Parts parts() override;
  void setSource(const InspectionSource& source) override;
  void show(const InspectSelection& selection) override;
  void setInView(bool isInView) override;
  QString status() const override;

 Q_SIGNALS:
  /// As GenerateView::lookRequested().
  void lookRequested(const std::vector<std::int64_t>& tokens);

 private:
  GenerateView* view_;
};

}  // namespace lambda
