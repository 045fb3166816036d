#pragma once

#include <functional>
#include <optional>

#include "engine/networks/network.h"
#include "engine/training/input/batch_maker.h"
#include "engine/values/metrics.h"

namespace lambda {

/// Images a batch where nothing is trained.
inline constexpr std::size_t kEvaluationBatch = 250;

/// Runs a network over images in evaluation mode without augmentation and without gradients, in
/// the precision of the maker; its mode is restored. `visit` gets each batch's logits [b, classes]
/// in float32, and labels. `proceed` is asked before every batch with the number of images done; if
/// it answers false, so does the function.
bool classify(NetworkImpl& network,
              const LabeledImages& images,
              const BatchMaker& maker,
              const std::function<bool(std::int64_t done)>& proceed,
              const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit);

/// Scores images by classify(). The one function that measures, for training, validation and test
/// images alike. None if `proceed` answers false.
std::optional<Scores> evaluate(NetworkImpl& network,
                               const LabeledImages& images,
                               const BatchMaker& maker,
                               const std::function<bool(std::int64_t done)>& proceed);

}  // namespace lambda
