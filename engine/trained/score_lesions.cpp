#include "engine/trained/score_lesions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "engine/data/dataset.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/networks/inspection/applied_lesion.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/trained/trained_network.h"
#include "engine/training/objective.h"
#include "engine/training/scoring.h"

namespace lambda {

namespace {

/// What a network says of the images.
struct Answers {
  Scores scores;
  at::Tensor classes;  // [images] int64, on the CPU
  at::Tensor isRight;  // [images] bool, on the CPU
};

/// Nothing if `proceed` returns false.
std::optional<Answers> answersOf(NetworkImpl& network,
                                 const Examples& examples,
                                 const std::function<bool(std::int64_t done)>& proceed) {
  const std::unique_ptr<ScoreSums> sums =
      objectiveOf(network.architecture.task).sums(network.architecture.outputs);
  std::vector<at::Tensor> classes, isRight;
  const auto take = [&](const at::Tensor& logits, const at::Tensor& labels) {
    sums->add(logits, labels);
    classes.push_back(logits.argmax(1));
    isRight.push_back(classes.back() == labels);
  };
  if (!classify(network, examples, proceed, take)) return std::nullopt;
  return Answers{sums->scores(), at::cat(classes).cpu(), at::cat(isRight).cpu()};
}

std::int64_t countTrue(const at::Tensor& isCounted) {
  return isCounted.sum().item<std::int64_t>();
}

LesionScore scoreOf(const Lesion& lesion, const Answers& uncut, const Answers& cut) {
  LesionScore score{.lesion = lesion, .scores = cut.scores};
  const std::int64_t images = uncut.classes.numel();
  score.changed = countTrue(uncut.classes != cut.classes);
  score.lost = countTrue(uncut.isRight.logical_and(cut.isRight.logical_not()));
  score.gained = countTrue(cut.isRight.logical_and(uncut.isRight.logical_not()));
  score.difference = static_cast<double>(score.gained - score.lost) / static_cast<double>(images);
  score.interval = pairedInterval(score.lost, score.gained, images);
  return score;
}

/// Whether the part of `a` is worth more than that of `b`.
bool isWorthMore(const LesionScore& a, const LesionScore& b) {
  // A cut network may overflow, and NaN has no place in an order.
  const auto loss = [](const LesionScore& score) {
    return std::isnan(score.scores.loss) ? std::numeric_limits<double>::infinity()
                                         : score.scores.loss;
  };
  if (a.difference != b.difference) return a.difference < b.difference;
  return loss(a) > loss(b);
}

/// So many images, or all of fewer, in the split's order and spread evenly over it, because a split
/// may be sorted by class.
LabeledImages spreadOver(const LabeledImages& images, std::int64_t wanted) {
  const auto all = static_cast<std::int64_t>(images.count());
  const std::int64_t count = std::min(wanted, all);
  std::vector<std::uint32_t> indices;
  for (std::int64_t i = 0; i < count; ++i) {
    indices.push_back(static_cast<std::uint32_t>(i * all / count));
  }
  return selectImages(images, indices);
}

/// The device of a run, or of this machine where the run's is a GPU, which this machine may lack.
DeviceConfig deviceFor(const std::filesystem::path& run) {
  DeviceConfig device = readCheckpointHeader(checkpointAt(run)).config.device;
  if (device.kind == DeviceKind::cuda) device.kind = DeviceKind::automatic;
  return device;
}

}  // namespace

std::optional<LesionTable> scoreLesions(const LesionRequest& request,
                                        RunControl& control,
                                        Observer& observer) {
  TrainedNetwork trained(request.run, {.data = request.data, .device = deviceFor(request.run)});
  Network& network = trained.weights().network;
  const std::string checkpoint = trained.checkpoint().string();
  if (network->architecture.task != Task::classification) {
    throw Error(checkpoint,
                "its network does not classify images, and lesions are scored by the images that "
                "are classified rightly",
                "choose a run whose task is classification");
  }
  const std::vector<Lesion> lesions = lesionsOf(network, request.layer);
  const std::string split(nameOf(request.split));
  const LabeledImages& all = trained.data().images(request.split);
  if (all.count() == 0) {
    throw Error(checkpoint, "there are no " + split + " images", "choose another split");
  }
  const LabeledImages images = spreadOver(all, request.images);
  const ImageExamples examples(images, trained.data().maker());

  const std::int64_t count = examples.count();
  std::int64_t before = 0;  // Images of the networks that are scored.
  const auto proceed = [&](std::int64_t done) {
    return waitForBatch(
        control, observer, {request.split, before + done, count * (std::ssize(lesions) + 1)});
  };
  const std::optional<Answers> uncut = answersOf(*network, examples, proceed);
  if (!uncut) return std::nullopt;
  if (request.split == Split::test && images.count() == all.count()) {
    trained.keep(request.split, uncut->scores, trained.otherData(request.split));
  }

  LesionTable table{.checkpoint = checkpoint,
                    .epoch = trained.header().progress.epoch,
                    .step = trained.header().progress.step,
                    .layer = lesions.front().layer,
                    .split = request.split,
                    .images = count,
                    .uncut = uncut->scores};
  for (const Lesion& lesion : lesions) {
    before += count;
    const AppliedLesion applied(network, lesion);
    const std::optional<Answers> cut = answersOf(*network, examples, proceed);
    if (!cut) return std::nullopt;
    table.lesions.push_back(scoreOf(lesion, *uncut, *cut));
  }
  std::ranges::stable_sort(table.lesions, isWorthMore);
  return table;
}

}  // namespace lambda
