#pragma once

#include "engine/values/config/enum_names.h"
#include "engine/values/config/kinds.h"
#include "engine/values/config/run_config.h"

namespace lambda {

// Each overload calls visit(Field, member) for every field of a value, in the order of its JSON.
// Those of mixers, stems, data sources, optimisers and schedules are in their own headers.

template <Either<MapShape> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{
          {"channels", "colour channels of an image", 1, 64},
          {"Channels"},
          "Must be those of the data: 3 for colour, 1 for grey. Costs only the first convolution."},
      value.channels);
  visit(Field{{"height", "image height in pixels", 1, 1024},
              {"Height", Stepping::eights, "px"},
              "Must be that of the data. FLOPs and memory of convolutions grow with the area, "
              "those of global lambda layers with its square."},
        value.height);
  visit(Field{{"width", "image width in pixels", 1, 1024},
              {"Width", Stepping::eights, "px"},
              "Must be that of the data. FLOPs and memory of convolutions grow with the area, "
              "those of global lambda layers with its square."},
        value.width);
}

template <Either<Block> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"mixer", "what mixes information between positions"},
              {"Mixer"},
              "Lambda layers see the whole map with fewer parameters. In the last two stages of "
              "the paper's network they gained 1.4 points, at 0.7 times the speed (table 13)."},
        value.mixer);
  visit(Field{{"residual", "plain family: add a shortcut even if the mixer needs none"},
              {"Shortcut"},
              "Adds the block's input to its result, which lets deep networks train. Free where "
              "shape and width stay, else a 1×1 convolution."},
        value.residual);
  visit(Field{{"squeezeExcitation", "channel attention by squeeze-and-excitation"},
              {"Squeeze-excite"},
              "Weighs the channels by the image. In the paper's ResNet-101 it gained 0.5 points "
              "and cost 13 % of the speed (table 14)."},
        value.squeezeExcitation);
  visit(Field{{"squeezeRatio", "it squeezes to 1 / ratio of the channels", 1, 1024},
              {"Squeeze ratio", Stepping::doubling},
              "A larger ratio costs fewer parameters; the paper's is 4 (appendix E.1)."},
        value.squeezeRatio);
  visit(Field{{"squeezePlace", "bottleneck: afterMixer or afterExpansion, on the wide channels"},
              {"Squeeze-excite on"},
              "On the output there are four times as many channels, and 16 times as many "
              "parameters. ResNet-RS has it there."},
        value.squeezePlace);
  visit(Field{{"expansion",
               "inverted bottleneck: channels of the mixer per input channel, 0 = no convolution "
               "before it; sequence: hidden channels of the channel mixing per channel",
               0,
               64},
              {"Expansion", Stepping::one, "", "none"},
              "How much wider the mixer is than the block's input: parameters and FLOPs grow "
              "linearly. MobileNet-v2 uses 6."},
        value.expansion);
  visit(Field{{"channelMixing", "sequence: mlp, or rwkv (gated squares of RWKV-4)"},
              {"Channel mixing"},
              "What happens at each position after the mixer; it has most of a block's "
              "parameters. RWKV-4's also sees the position before."},
        value.channelMixing);
  visit(
      Field{
          {"stochasticDepth", "probability of skipping the branch in training", 0, 0.95},
          {"Stochastic depth", Stepping::hundredth},
          "Leaves the branch out at random in training: regularises deep networks and needs more "
          "epochs. The paper's deep networks use 0.1 to 0.2 (table 20). Evaluation is unchanged."},
      value.stochasticDepth);
}

template <Either<Stage> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"width", "depth d of the mixers", 1, 8192},
              {"Width d", Stepping::eights, "channels"},
              "Capacity: parameters and FLOPs of convolutions grow with the square, memory "
              "linearly. Must be a multiple of the heads."},
        value.width);
  visit(Field{{"stride", "spatial stride of the first block, 1 or 2", 1, 2},
              {"Stride"},
              "2 halves height and width: later FLOPs and memory fall to a quarter, and fine "
              "detail is lost."},
        value.stride);
  visit(Field{{"blocks", "the blocks in order", 0, 256},
              {},
              "Depth: parameters, FLOPs, memory and time grow linearly. Blocks are added and "
              "removed at the end."},
        value.blocks);
}

template <Either<Head> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"width", "channels of a 1x1 convolution before the pooling; 0 = none", 0, 65536},
              {"Width before pooling", Stepping::eights, "channels", "none"},
              "A last 1×1 convolution before the pooling gives the classifier more features; "
              "MobileNet-v2 uses 1280."},
        value.width);
  visit(Field{{"pooling", "average or max over all positions"},
              {"Pooling"},
              "Average asks how much of a feature there is, maximum whether it is anywhere. Costs "
              "nothing."},
        value.pooling);
  visit(Field{{"dropout", "probability of zeroing a pooled feature in training", 0, 0.95},
              {"Dropout", Stepping::hundredth},
              "Regularises the classifier: helps where validation falls behind training, slows "
              "learning otherwise. Costs nothing."},
        value.dropout);
  visit(Field{{"bias", "add a bias for every class"},
              {"Bias"},
              "Lets rare classes start lower; one value per class."},
        value.bias);
  visit(
      Field{
          {"scale", "factor on the logits", 1e-4, 1e4},
          {"Logit scale", Stepping::oneTwoFive},
          "Sharpens (above 1) or softens the predictions at the start of training; costs nothing."},
      value.scale);
}

template <Either<Architecture> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  same(Field{{"name", "short name"},
             {"Name"},
             "Names the document and the runs that it starts; training ignores it."},
       value.name);
  same(Field{{"description", "one line on its purpose"},
             {"Description"},
             "A note for readers; training ignores it."},
       value.description);
  visit(Field{"input", "shape of the images"}, value.input);
  same(Field{{"task", "classification, regression or tokens"},
             {"Task"},
             "What the outputs mean, which must fit the data. It decides the loss and the score."},
       value.task);
  const TaskTraits task = traitsOf(value.task);
  visit(Field{{task.outputs, task.outputsMeaning, static_cast<double>(task.fewestOutputs), 100000},
              {},
              task.outputsHint},
        value.outputs);
  visit(
      Field{{"family", "bottleneck, basic, invertedBottleneck, plain or sequence"},
            {"Block family"},
            "Bottleneck blocks have 4 times as many channels between blocks as in their mixers, "
            "for deep networks; basic blocks suit 18 to 34 layers; plain blocks are the cheapest. "
            "Sequence blocks are those of transformers."},
      value.family);
  visit(Field{{"activation", "relu, celu, gelu, silu or relu6"},
              {"Activation"},
              "ReLU is the fastest. The smooth ones can gain a few tenths of a point and keep one "
              "more map in memory."},
        value.activation);
  visit(
      Field{{"normStatistics", "of batch norms outside training: running or batch"},
            {"Norm statistics"},
            "With the batch's statistics, the result of an image depends on the images beside it. "
            "It is there to repeat the TU Delft reproduction, which evaluated in training mode."},
      value.normStatistics);
  visit(Field{{"zeroInitResidual", "last norm of a residual branch starts at 0"},
              {"Zero-init residuals"},
              "Every block starts as the identity, which lets deep networks begin with large "
              "learning rates (paper, appendix E.1). It costs nothing."},
        value.zeroInitResidual);
  visit(Field{"stem", "the first convolutions"}, value.stem);
  visit(Field{"stages", "the stages in order", 0, 32}, value.stages);
  visit(Field{"head", "pooling and classifier"}, value.head);
}

template <Either<AugmentationConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"cropPadding", "pixels added on each side before a random crop; 0 = no crop", 0, 16},
              {"Random crop", Stepping::one, "px", "off"},
              "Shifts the images at random, which prevents overfitting: 4 pixels gain some points "
              "on CIFAR-10 in long runs, 2 in short ones."},
        value.cropPadding);
  visit(
      Field{
          {"padding", "pixels that are added: reflect or zero"},
          {"Crop padding mode"},
          "What appears beside a shifted image. A mirrored border has no edge that can be learnt.",
          value.cropPadding > 0},
      value.padding);
  visit(Field{{"horizontalFlip", "mirror half of the images"},
              {"Horizontal flip"},
              "Doubles the variety of the images. Wrong where left and right are classes."},
        value.horizontalFlip);
  visit(Field{{"alternatingFlip", "each image is mirrored in every other epoch, not by chance"},
              {"Alternating flip"},
              "Every image is seen in both directions in two epochs, which helps in short runs.",
              value.horizontalFlip},
        value.alternatingFlip);
  visit(Field{{"cutoutSize", "side of the erased square in pixels; 0 = none", 0, 64},
              {"Cutout", Stepping::one, "px", "off"},
              "Hides a square: less overfitting in runs of 30 epochs and more, lower accuracy in "
              "short ones."},
        value.cutoutSize);
  visit(Field{{"randAugmentOperations", "RandAugment: operations for every image; 0 = none", 0, 8},
              {"RandAugment", Stepping::one, "", "off"},
              "Changes colours and geometry at random: less overfitting in runs of 90 epochs and "
              "more, lower accuracy in short ones. The paper uses 2 in its runs of 350 epochs."},
        value.randAugmentOperations);
  visit(Field{{"randAugmentMagnitude", "RandAugment: strength of the operations", 0, 30},
              {"RandAugment magnitude", Stepping::one},
              "Stronger changes suit larger networks and longer runs: the paper uses 10 up to "
              "LambdaResNet-101 at 160 x 160 and 15 above.",
              value.randAugmentOperations > 0},
        value.randAugmentMagnitude);
  visit(Field{{"erasingProbability", "share of images with an erased rectangle; 0 = none", 0, 1},
              {"Random erasing", Stepping::hundredth, "", "off"},
              "Hides a rectangle of random size and place in this share of the images: less "
              "overfitting in long runs."},
        value.erasingProbability);
  visit(Field{{"mixupAlpha", "mixup: alpha of the shares of two images; 0 = none", 0, 10},
              {"Mixup alpha", Stepping::oneTwoFive, "", "off"},
              "Trains on blends of two images and of their classes: less overfitting in long runs, "
              "a higher training loss. 0.2 is usual."},
        value.mixupAlpha);
  visit(Field{{"cutmixAlpha", "CutMix: alpha of the shares of two images; 0 = none", 0, 10},
              {"CutMix alpha", Stepping::oneTwoFive, "", "off"},
              "Puts a rectangle of one image into another and shares out the classes by area: less "
              "overfitting in long runs, a higher training loss. 1 is usual."},
        value.cutmixAlpha);
}

template <Either<DataConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  visit(Field{{"source", "the data set: its kind, its path and the part that is read"},
              {"Data set"},
              "What is learnt. Shape and classes of the network must fit it."},
        value.source);
  visit(Field{{"validationCount", "images of the training set kept for validation", 0, 10000000},
              {"Validation images", Stepping::oneTwoFive, "images"},
              "More images measure the accuracy more exactly and choose the best checkpoint "
              "better; they are missing in training. With 5,000 the error is about half a point."},
        value.validationCount);
  visit(Field{{"splitSeed", "seed of that split"},
              {"Split seed"},
              "Another seed keeps other images for validation. Runs are comparable only with the "
              "same one."},
        value.splitSeed);
  visit(Field{{"labelledPerClass",
               "training images of each class whose labels are used; 0 = all",
               0,
               10000000},
              {"Labels per class", Stepping::oneTwoFive, "", "all"},
              "Trains on so few labels, to measure how much more of them would help. Validation "
              "and test images keep theirs."},
        value.labelledPerClass);
  visit(Field{{"pseudoLabels", "predictions that label the other training images; empty = none"},
              {"Pseudo-labels"},
              "A teacher's predictions replace the labels that are not used: more images, some of "
              "them labelled wrongly.",
              value.labelledPerClass > 0},
        value.pseudoLabels);
  same(Field{{"pseudoLabelsSha256", "digest of that file; empty = any"}, {"Digest of the labels"}},
       value.pseudoLabelsSha256);
  visit(Field{{"pseudoLabelThreshold", "probability from which a prediction is a label", 0, 1},
              {"Label threshold", Stepping::hundredth},
              "A higher threshold leaves fewer images with fewer wrong labels.",
              !value.pseudoLabels.empty()},
        value.pseudoLabelThreshold);
  visit(Field{"augmentation", "random changes of the training images"}, value.augmentation);
}

template <Either<Recipe> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  same(Field{{"epochs", "passes over the training images", 1, 100000},
             {"Epochs"},
             "More epochs are more accurate, with less gain each; time grows linearly."},
       value.epochs);
  visit(Field{{"batchSize", "images per step", 1, 65536},
              {"Batch size", Stepping::doubling, "images"},
              "Larger batches use the machine better; activation memory grows linearly, and there "
              "are fewer steps in an epoch, which asks for a higher learning rate."},
        value.batchSize);
  visit(
      Field{{"lastBatch",
             "the images left over in an epoch: drop, keep as a smaller batch, or automatic: keep "
             "where an epoch has fewer than 10 whole batches"},
            {"Last batch"},
            "The images that are left over by whole batches: up to half of a small set, little of "
            "a large one. Kept, they form a smaller, noisier batch; dropped, others are unused in "
            "every epoch. Automatic keeps them where an epoch has fewer than 10 whole batches."},
      value.lastBatch);
  visit(Field{"optimizer", "the optimiser"}, value.optimizer);
  same(Field{"schedule", "the learning rate over the run"}, value.schedule);
  same(
      Field{{"learningRateFactor",
             "factor of the learning rate of the whole schedule; can be changed while a run trains",
             0,
             1000},
            {"Learning rate factor", Stepping::oneTwoFive},
            "Multiplies the whole schedule; can be changed while a run trains, for example to 0.1 "
            "where the loss jumps."},
      value.learningRateFactor);
  same(Field{{"rateScaling",
              "how the learning rate follows the batch size: none, linear, squareRoot; it is "
              "multiplied by batchSize / rateBatchSize, or by the root of that"},
             {"Rate by batch size"},
             "For larger batches without a new search of the learning rate: linear for SGD with a "
             "warm-up (arXiv:1706.02677), squareRoot for Adam. Costs nothing."},
       value.rateScaling);
  same(Field{{"rateBatchSize",
              "batch size that the learning rate is given for, for rateScaling",
              1,
              65536},
             {"Rate given for", Stepping::doubling, "images"},
             "The batch size whose learning rate is known.",
             value.rateScaling != RateScaling::none},
       value.rateBatchSize);
  same(Field{{"labelSmoothing", "share of the target spread over all classes", 0, 0.99},
             {"Label smoothing", Stepping::hundredth},
             "Less overconfident predictions, often some tenths of a point; the paper uses 0.1. "
             "The training loss no longer reaches 0."},
       value.labelSmoothing);
  visit(Field{{"emaDecay",
               "decay of the moving average of the weights, per step; it warms up as (1 + t) / (10 "
               "+ t) at step t; 0 = none",
               0,
               0.999999},
              {"EMA of weights", Stepping::hundredth, "", "off"},
              "Evaluates averaged weights: steadier and often more accurate, for one more copy of "
              "the parameters. 0.999 averages about 1,000 steps. The average warms up: at step t "
              "its decay is at most (1 + t) / (10 + t), so that it follows the first steps."},
        value.emaDecay);
  visit(Field{{"flipAveraging", "score the mean logits of an image and its mirror image"},
              {"Flip averaging"},
              "Scores are often 0.2 to 0.5 points higher, for twice the time of an evaluation. "
              "Compare runs only with the same setting."},
        value.flipAveraging);
  visit(Field{{"shiftAveraging",
               "score the mean logits of an image and of itself moved by a pixel each way"},
              {"Shift averaging"},
              "Half the weight is that of the image, a quarter each that of the image moved by a "
              "pixel up and left, and down and right. Often some tenths of a point, for three "
              "times the time of an evaluation."},
        value.shiftAveraging);
  visit(Field{{"precision",
               "float32, bfloat16 autocast, or automatic: the faster of them on this device, "
               "measured when the run starts"},
              {"Precision"},
              "bfloat16 halves the memory of activations and is faster on processors that have it, "
              "with nearly the same accuracy; float32 is the reference."},
        value.precision);
  visit(Field{{"channelsLast", "channels-last memory layout"},
              {"Channels last"},
              "Faster convolutions on most processors, the same results; no memory."},
        value.channelsLast);
  visit(
      Field{{"synchronizedNorm",
             "with many processes: batch norms use the joint batch, not each process its part"},
            {"Synchronised norm"},
            "With many processes, the results of one process on the joint batch; otherwise a norm "
            "sees the part of its process. Each norm then waits for all processes, twice a step. "
            "No difference with one process."},
      value.synchronizedNorm);
}

template <Either<StartConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  same(Field{{"weights",
              "file of weights to start from: of a run, or of torchvision's and timm's ResNets; "
              "empty = drawn from the seed"},
             {"Weights at the start"},
             "A trained network learns new classes from fewer images, in fewer epochs."},
       value.weights);
  same(Field{{"sha256", "digest of that file; empty = any"}, {"Digest of the weights"}},
       value.sha256);
  visit(Field{{"frozenStages",
               "stages at the start of the network that are not trained; the stem is the first",
               0,
               1000},
              {"Frozen stages", Stepping::one, "", "none"},
              "They keep what they have learnt and take no memory for gradients; the stem is the "
              "first. With all of them frozen only the head learns, in little time."},
        value.frozenStages);
  visit(Field{{"backboneRate", "learning rate of everything but the head, as a factor", 0, 1000},
              {"Rate of the backbone", Stepping::oneTwoFive},
              "A tenth keeps most of what the backbone has learnt while the new head learns fast."},
        value.backboneRate);
  visit(Field{{"pairedDraws",
               "draw each parameter from the seed and its name: networks share initial values"},
              {"Paired weights"},
              "Networks of one seed share the initial values of the parameters that they share, so "
              "that a comparison has less chance in it. Costs nothing."},
        value.pairedDraws);
}

template <Either<DeviceConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"kind", "automatic, cpu or cuda"},
              {"Device"},
              "A GPU trains many times faster; results differ in the last digits."},
        value.kind);
  visit(Field{{"index", "CUDA: the number of the GPU, counted from 0", 0, 63},
              {"GPU"},
              "GPUs of one kind give the same results.",
              value.kind != DeviceKind::cpu},
        value.index);
  visit(Field{{"threads", "threads for tensor work; 0 = one per core", 0, 1024},
              {"Threads for training", Stepping::one, "", "one per core"},
              "Fewer leave cores to other programs and are slower. The same number gives the same "
              "bits."},
        value.threads);
  visit(Field{{"yieldsToOthers",
               "with one thread per core: use fewer while other programs slow training down; such "
               "a run can't be repeated bit for bit"},
              {"Yield to other programs"},
              "Stays fast beside other programs; such a run can't be repeated bit for bit.",
              value.yieldsToOthers || (value.threads == 0 && value.kind != DeviceKind::cuda)},
        value.yieldsToOthers);
  visit(Field{{"cudaGraphs", "CUDA: record a training step and replay it as a whole"},
              {"CUDA graphs"},
              "Less time between kernels on a GPU, the same results.",
              !value.cudaGraphs || value.kind != DeviceKind::cpu},
        value.cudaGraphs);
  visit(
      Field{{"overlapsGradients",
             "with many processes: send gradients while the backward pass still computes others"},
            {"Overlap gradients"},
            "With many processes, hides the time of the network behind that of the backward pass. "
            "Off, all are sent at its end. No difference with one process."},
      value.overlapsGradients);
}

template <Either<CheckpointConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"everyEpochs", "a checkpoint at every n-th epoch's end; 0 = none", 0, 100000},
              {"Keep one every", Stepping::one, "epochs", "never"},
              "Each checkpoint lets you go back and inspect; it takes disk space."},
        value.everyEpochs);
  visit(Field{{"keepEpochs", "how many of these checkpoints stay on disk; 0 = all", 0, 100000},
              {"Keep at most", Stepping::one, "", "all"},
              "Limits the disk space: the oldest of these checkpoints go first."},
        value.keepEpochs);
  visit(Field{{"keepBest", "keep the weights of the best validation"},
              {"Keep the best"},
              "Keeps the weights of the best validation, which a later fall would lose."},
        value.keepBest);
  visit(Field{{"bestBy", "the best validation: accuracy or loss; the other one decides ties"},
              {"Best by"},
              "Accuracy is what the test reports, in steps of one image; the loss also tells "
              "epochs of equal accuracy apart, and decides ties. With few validation images the "
              "loss is steadier."},
        value.bestBy);
  visit(Field{{"keepInitial", "keep the state before the first step"},
              {"Keep the initial weights"},
              "Lets you inspect and export the network as it was before training."},
        value.keepInitial);
  visit(Field{{"everyMinutes", "save also in mid-epoch; 0 = never", 0, 100000},
              {"Also save every", Stepping::one, "minutes", "never"},
              "How much work a crash can lose at most."},
        value.everyMinutes);
}

template <Either<MonitoringConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"histograms",
               "record histograms of weights, gradients, activations and lambda norms over time"},
              {"Record histograms"}},
        value.histograms);
}

template <Either<RunConfig> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  const auto same = atSameSpeed(visit);
  same(Field{{"name", "short name of the run"}, {"Name"}}, value.name);
  same(Field{{"seed", "seed of weights, data order and augmentation"}, {"Seed"}}, value.seed);
  same(Field{{"parentRun", "run that this one repeats with other mixers"}, {"Repeats the run"}},
       value.parentRun);
  same(Field{{"experiment", "experiment that the run belongs to"}, {"Experiment"}},
       value.experiment);
  visit(Field{"architecture", "the network"}, value.architecture);
  visit(Field{"data", "the data set and its augmentation"}, value.data);
  visit(Field{"recipe", "the training recipe"}, value.recipe);
  visit(Field{"start", "weights to start from, and which of them are trained"}, value.start);
  visit(Field{"device", "the device to train on"}, value.device);
  same(Field{"checkpoints", "which checkpoints are kept on disk"}, value.checkpoints);
  same(Field{"monitoring", "what is recorded beside the metrics"}, value.monitoring);
}

}  // namespace lambda
