#include "engine/training/live_inspection.h"

#include "engine/runtime/error.h"

namespace lambda {

InspectionSnapshot inspectLive(TrainingState& /*state*/, RunData& /*data*/,
                               const InspectionRequest& request) {
  throw Error(request.layer, "inspection is not connected");
}

void saveProbeSnapshots(TrainingState& /*state*/, RunData& /*data*/,
                        const std::filesystem::path& /*folder*/, int /*epoch*/) {}

}  // namespace lambda
