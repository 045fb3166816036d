#include "app/inspect/generate/generate_mode.h"

#include "app/inspect/generate/generate_view.h"
#include "app/session/inspection/checkpoint_service.h"

namespace lambda {

GenerateMode::GenerateMode(CheckpointService& checkpoints, QObject* parent)
    : InspectMode(parent), view_(new GenerateView(checkpoints.generation())) {
  connect(view_, &GenerateView::statusChanged, this, &GenerateMode::changed);
  connect(view_, &GenerateView::writingChanged, this, &GenerateMode::busyChanged);
  connect(view_, &GenerateView::lookRequested, this, &GenerateMode::lookRequested);
}

InspectMode::Parts GenerateMode::parts() {
  return {.view = view_, .bottom = view_->footer()};
}

void GenerateMode::setSource(const InspectionSource& source) {
  view_->setSource(source);
}

void GenerateMode::show(const InspectSelection& /*selection*/) {
  Q_EMIT changed();
}

/// A text goes on while another page is looked at.
void GenerateMode::setInView(bool /*isInView*/) {}

QString GenerateMode::status() const {
  return view_->status();
}

}  // namespace lambda
