#include "engine/data/measured_input.h"

#include "engine/data/dataset.h"
#include "engine/data/sources/data_sources.h"

namespace lambda {

NetworkInput measuredInput(DataConfig data, const std::optional<std::string>& place) {
  if (place) data.source = recognizeDataSource(*place, data.source);
  return inputOf(loadDataset(withFittingSplit(data)));
}

}  // namespace lambda
