#pragma once

#include <functional>
#include <optional>

#include "engine/networks/network.h"
#include "engine/training/input/batch_maker.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// Batch size of evaluations, in images.
inline constexpr std::size_t kEvaluationBatch = 250;

/// Classifies images with a network in evaluation mode, without augmentation or gradients, in the
/// precision of the maker; the network's mode is restored. `visit` gets each batch's logits
/// [b, classes] in float32 and its labels [b]; the logits are the mean of a pass for
/// each of the maker's views. `proceed` is called before every batch with the number of images
/// done; if it returns false, so does the function.
bool classify(NetworkImpl& network,
              const LabeledImages& images,
              const BatchMaker& maker,
              const std::function<bool(std::int64_t done)>& proceed,
              const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit);

/// Scores images by classify(): training, validation and test images alike. Returns nothing if
/// `proceed` returns false.
std::optional<Scores> evaluate(NetworkImpl& network,
                               const LabeledImages& images,
                               const BatchMaker& maker,
                               const std::function<bool(std::int64_t done)>& proceed);

}  // namespace lambda
