#include <algorithm>
#include <array>

#include "widgets/forms/field_rows.h"

namespace lambda {

namespace {

struct Hint {
  std::string_view end;  ///< The end of the field's path, in whole names.
  std::string_view text;
};

// What a setting does to accuracy, cost and memory. "Paper" is LambdaNetworks (Bello, 2021): its
// accuracies are those of a ResNet-50 on ImageNet. Where one end contains another, the longer one
// comes first.
constexpr std::array kHints{
    Hint{"architecture.name",
         "Names the document and the runs that it starts; training ignores it."},
    Hint{"architecture.description", "A note for readers; training ignores it."},
    Hint{"input.channels",
         "Must be those of the data: 3 for colour, 1 for grey. Costs only the first convolution."},
    Hint{"input.height",
         "Must be that of the data. FLOPs and memory of convolutions grow with the area, those of "
         "global lambda layers with its square."},
    Hint{"input.width",
         "Must be that of the data. FLOPs and memory of convolutions grow with the area, those of "
         "global lambda layers with its square."},
    Hint{"classes", "Must be that of the data. Each class adds one row to the classifier."},
    Hint{"family",
         "Bottleneck blocks have 4 times as many channels between blocks as in their mixers, for "
         "deep networks; basic blocks suit 18 to 34 layers; plain blocks are the cheapest."},
    Hint{"activation",
         "ReLU is the fastest. The smooth ones can gain a few tenths of a point and keep one more "
         "map in memory."},
    Hint{"normStatistics",
         "With the batch's statistics, the result of an image depends on the images beside it. It "
         "is "
         "there to repeat the TU Delft reproduction, which evaluated in training mode."},
    Hint{"zeroInitResidual",
         "Every block starts as the identity, which lets deep networks begin with large learning "
         "rates (paper, appendix E.1). It costs nothing."},
    Hint{"stem.kind",
         "Decides how large the first maps are: the ImageNet and ResNet stems leave a sixteenth "
         "of "
         "the positions, which saves memory on large images and loses detail on small ones."},
    Hint{"stem.width",
         "More channels for the first stage to read, at the largest map of the network."},
    Hint{"patchSize",
         "Larger patches make all maps smaller: cost falls with the square, and detail is lost."},
    Hint{"whitened",
         "The first filters come from the images and are not trained: the layers after them learn "
         "faster, at less than a second before the first step."},
    Hint{"stage.width",
         "Capacity: parameters and FLOPs of convolutions grow with the square, memory linearly. "
         "Must be a multiple of the heads."},
    Hint{"stage.stride",
         "2 halves height and width: later FLOPs and memory fall to a quarter, and fine detail is "
         "lost."},
    Hint{"stage.blocks",
         "Depth: parameters, FLOPs, memory and time grow linearly. Blocks are added and removed at "
         "the end."},
    Hint{"mixer.kind",
         "Lambda layers see the whole map with fewer parameters. In the last two stages of the "
         "paper's network they gained 1.4 points, at 0.7 times the speed (table 13)."},
    Hint{"mixer.groups",
         "Parameters and FLOPs fall by this factor, and groups do not see each other. As many "
         "groups "
         "as channels make a depthwise convolution."},
    Hint{"mixer.ratio", "A larger ratio costs fewer parameters; the paper's is 4 (appendix E.1)."},
    Hint{"mixer.relative",
         "Where things are. Without it, attention sees a set of positions without an order."},
    Hint{"mixer.featureMap",
         "Softmax makes the weights of a query add up to 1 by itself; elu + 1 divides by their "
         "sum."},
    Hint{"mixer.pairwise",
         "The embedded Gaussian is a softmax; the dot product divides by the number of positions. "
         "Both gained about the same in the original paper."},
    Hint{"kernelSize",
         "A larger window sees farther in one layer; parameters and FLOPs grow with its area."},
    Hint{"mixer.k",
         "The size of each lambda: cost and memory grow linearly. In the paper 8 gave 77.9 %, 16 "
         "gave 78.4 % and 32 no more (h = 4, table 9)."},
    Hint{
        "mixer.h",
        "More heads make the lambda smaller: fewer value parameters and FLOPs, more query "
        "parameters, less expressive. The paper recommends values such as 4: with k = 16 it gave "
        "78.4 % and 8 gave 78.1 %; with k = 2, 4 and 32, 8 gave 0.1 to 0.4 points more (table 9)."},
    Hint{"mixer.u",
         "Multiplies keys, values and embeddings by u. In the paper 4 gained 0.5 points (table 3), "
         "but 1 was best at equal speed (appendix B.4)."},
    Hint{"mixer.scope",
         "How far positions reach; content always sees all. In the paper 3 gave 77.6 %, 7 gave "
         "78.2 %, and from 15 on it no longer grew; FLOPs do (table 11)."},
    Hint{
        "mixer.embedding",
        "Where things are: without positions the paper fell from 78.4 % to 68.8 % (table 10). "
        "Relative tables are small and shift with the image; absolute ones grow with the square of "
        "the positions."},
    Hint{
        "mixer.content",
        "What things are: in the paper it added 0.3 points to positions alone (table 10), for less "
        "than 1 % of the FLOPs. Without it there are no keys."},
    Hint{"multiHead",
         "Each head sums a lambda of its own: h times the parameters and FLOPs of keys, values and "
         "embeddings. The paper finds heads that share one lambda the better bargain (appendix "
         "B.3)."},
    Hint{"keyNormalization",
         "In the paper softmax gave 78.4 %, L2 78.0 % and none 70.0 % (table 12)."},
    Hint{"softmaxQueries",
         "In the paper it lost 0.3 points (table 12). Together with softmax on keys it makes the "
         "content lambda linear attention."},
    Hint{"normalizeQueries",
         "Steadier training for two values per channel. Without norms on queries and values the "
         "paper fell from 78.4 % to 76.2 % (table 12)."},
    Hint{"normalizeValues",
         "Steadier training for two values per channel. Without norms on queries and values the "
         "paper fell from 78.4 % to 76.2 % (table 12)."},
    Hint{"embeddingDeviation",
         "How strong positions are at the start. With the paper's 1, short trainings hardly change "
         "the embeddings, and content is a small part of the output."},
    Hint{"mixer.mask",
         "What a query may see. Keys are normalised over what it sees (paper, appendix B.2)."},
    Hint{"maskRows", "Which positions each query sees, where the mask is custom."},
    Hint{"tokenOrder",
         "Channel runs mix positions of a channel instead of pixels. It is there to repeat the TU "
         "Delft reproduction as it was published."},
    Hint{"normAxes",
         "Norms per position tie the layer to one map size. It is there to repeat the TU Delft "
         "reproduction as it was published."},
    Hint{"sharedEmbeddings",
         "One table for several blocks saves its parameters in all but the first. In the paper, "
         "sharing within the network cut memory to a third and cost 0.4 points (table 4)."},
    Hint{"residual",
         "Adds the block's input to its result, which lets deep networks train. Free where shape "
         "and "
         "width stay, else a 1×1 convolution."},
    Hint{
        "squeezeExcitation",
        "Weighs the channels by the image. In the paper's ResNet-101 it gained 0.5 points and cost "
        "13 % of the speed (table 14)."},
    Hint{"squeezeRatio", "A larger ratio costs fewer parameters; the paper's is 4 (appendix E.1)."},
    Hint{"squeezePlace",
         "On the output there are four times as many channels, and 16 times as many parameters. "
         "ResNet-RS has it there."},
    Hint{"expansion",
         "How much wider the mixer is than the block's input: parameters and FLOPs grow linearly. "
         "MobileNet-v2 uses 6."},
    Hint{"stochasticDepth",
         "Leaves the branch out at random in training: regularises deep networks and needs more "
         "epochs. The paper's deep networks use 0.1 to 0.2 (table 20). Evaluation is unchanged."},
    Hint{"head.width",
         "A last 1×1 convolution before the pooling gives the classifier more features; "
         "MobileNet-v2 uses 1280."},
    Hint{"pooling",
         "Average asks how much of a feature there is, maximum whether it is anywhere. Costs "
         "nothing."},
    Hint{"dropout",
         "Regularises the classifier: helps where validation falls behind training, slows learning "
         "otherwise. Costs nothing."},
    Hint{"bias", "Lets rare classes start lower; one value per class."},
    Hint{"head.scale",
         "Sharpens (above 1) or softens the predictions at the start of training; costs nothing."},

    Hint{
        "validationCount",
        "More images measure the accuracy more exactly and choose the best checkpoint better; they "
        "are missing in training. With 5,000 the error is about half a point."},
    Hint{"splitSeed",
         "Another seed keeps other images for validation. Runs are comparable only with the same "
         "one."},
    Hint{
        "labelledPerClass",
        "Trains on so few labels, to measure how much more of them would help. Validation and test "
        "images keep theirs."},
    Hint{"pseudoLabels",
         "A teacher's predictions replace the labels that are not used: more images, some of them "
         "labelled wrongly."},
    Hint{"pseudoLabelThreshold", "A higher threshold leaves fewer images with fewer wrong labels."},
    Hint{"trainCount", "More images generalise better; the time of an epoch grows linearly."},
    Hint{"testCount", "More images measure the accuracy more exactly; no effect on training."},
    Hint{"path", "The files of the data set."},
    Hint{"source.kind", "What is learnt. Shape and classes of the network must fit it."},
    Hint{"labels",
         "Coarse classes are easier and give higher accuracies, which are not comparable."},
    Hint{"size",
         "Larger pictures show more detail; FLOPs and memory grow with the area, those of global "
         "lambda layers with its square."},
    Hint{"corrupt", "Leaving pictures out trains on fewer images than the folder has."},
    Hint{"transparent",
         "Photographs are opaque; icons and drawings often are not. The network never sees the "
         "colours below transparency."},
    Hint{"source.validation",
         "Take the folder where somebody has chosen its pictures, such as other photographs of the "
         "same things. All of them are then used."},
    Hint{"cropPadding",
         "Shifts the images at random, which prevents overfitting: 4 pixels gain some points on "
         "CIFAR-10 in long runs, 2 in short ones."},
    Hint{"augmentation.padding",
         "What appears beside a shifted image. A mirrored border has no edge that can be learnt."},
    Hint{"horizontalFlip",
         "Doubles the variety of the images. Wrong where left and right are classes."},
    Hint{"alternatingFlip",
         "Every image is seen in both directions in two epochs, which helps in short runs."},
    Hint{"cutoutSize",
         "Hides a square: less overfitting in runs of 30 epochs and more, lower accuracy in short "
         "ones."},
    Hint{"randAugmentOperations",
         "Changes colours and geometry at random: less overfitting in runs of 90 epochs and more, "
         "lower accuracy in short ones. The paper uses 2 in its runs of 350 epochs."},
    Hint{"randAugmentMagnitude",
         "Stronger changes suit larger networks and longer runs: the paper uses 10 up to "
         "LambdaResNet-101 at 160 x 160 and 15 above."},
    Hint{"erasingProbability",
         "Hides a rectangle of random size and place in this share of the images: less overfitting "
         "in long runs."},
    Hint{"mixupAlpha",
         "Trains on blends of two images and of their classes: less overfitting in long runs, a "
         "higher training loss. 0.2 is usual."},
    Hint{"cutmixAlpha",
         "Puts a rectangle of one image into another and shares out the classes by area: less "
         "overfitting in long runs, a higher training loss. 1 is usual."},

    Hint{"rateFactors.input",
         "Steps of the first filters relative to the others. Lower keeps what they have learnt, 0 "
         "freezes them."},
    Hint{"rateFactors.filter",
         "Steps of the convolutions' filters relative to the others; 0 freezes them."},
    Hint{"rateFactors.projection",
         "Steps of queries, keys, values and channel attention relative to the others; lower where "
         "lambda layers make the loss jump."},
    Hint{"rateFactors.norm",
         "Steps of the norms' scales and shifts relative to the others; higher lets branches that "
         "start at 0 grow sooner."},
    Hint{"rateFactors.bias",
         "Steps of the biases relative to the others; short recipes raise it to learn the classes' "
         "frequencies first."},
    Hint{"rateFactors.embedding",
         "Steps of the position embeddings relative to the others; higher learns where things are "
         "sooner, at the risk of noise."},
    Hint{"rateFactors.head",
         "Steps of the classifier relative to the others; lower where it overfits before the "
         "features are learnt."},
    Hint{"decayFactors.input",
         "Decay of the first filters relative to the others; less overfitting."},
    Hint{"decayFactors.filter",
         "Decay of the convolutions' filters relative to the others; a norm follows them, so that "
         "it "
         "sets their effective learning rate rather than their size."},
    Hint{"decayFactors.projection",
         "Decay of queries, keys and values relative to the others; more makes lambdas smaller and "
         "the softmax of keys flatter."},
    Hint{"decayFactors.norm",
         "Decay of scales and shifts relative to the others; usually 0, because it shrinks whole "
         "branches."},
    Hint{"decayFactors.bias",
         "Decay of biases relative to the others; usually 0, because they do not overfit."},
    Hint{"decayFactors.embedding",
         "Pulls position embeddings towards 0, which makes layers depend more on content."},
    Hint{"decayFactors.head",
         "Decay of the classifier relative to the others; more gives less confident predictions."},
    Hint{"optimizer.kind",
         "SGD generalises well and keeps one more value per parameter; Adam and AdamW need less "
         "tuning and keep two; Muon learns fastest in short runs of convolutional networks."},
    Hint{"learningRate",
         "The most important number: too high diverges, too low stays behind. It usually doubles "
         "with the batch size. Free."},
    Hint{"learningRateFactor",
         "Multiplies the whole schedule; can be changed while a run trains, for example to 0.1 "
         "where the loss jumps."},
    Hint{"muonLearningRate",
         "How far the filters move in a step, as a share of their size; independent of the "
         "gradients' "
         "size."},
    Hint{"momentum",
         "Averages gradients over about 1 / (1 − m) steps: steadier and faster, one value more per "
         "parameter."},
    Hint{"nesterov", "Often converges a little faster than plain momentum, at no cost."},
    Hint{"beta1", "Averages gradients over about 1 / (1 − β) steps."},
    Hint{"beta2",
         "Averages squared gradients; values near 1 are steadier, and need more steps of warm-up."},
    Hint{"epsilon", "Larger values limit the steps of parameters with tiny gradients."},
    Hint{"weightDecay",
         "Less overfitting: 1e-4 to 5e-4 with SGD, 0.01 to 0.1 with AdamW. Too much keeps the "
         "training accuracy low. The filters that Muon updates do not decay: it fixes their norm."},
    Hint{
        "decayAllParameters",
        "Norms, biases and embeddings decay too, as in many older recipes; usually less accurate."},
    Hint{"gradientClip", "Limits the harm of single bad batches; around 1 where the loss jumps."},
    Hint{"schedule.kind",
         "How the learning rate falls: cosine and linear end the most accurate, triangular suits "
         "runs of few epochs, constant is for experiments."},
    Hint{"warmupEpochs",
         "Starts with small steps, which large batches and Adam need to stay stable."},
    Hint{"finalFactor", "The smaller the last steps, the better the weights settle; 0 is usual."},
    Hint{"peakFraction", "An early peak leaves more of the run for settling."},
    Hint{"stepEpochs", "The accuracy jumps up at each drop; drop when it no longer grows."},
    Hint{"stepFactor", "How far the learning rate falls at each drop; 0.1 is usual."},
    Hint{"recipe.epochs",
         "More epochs are more accurate, with less gain each; time grows linearly."},
    Hint{"batchSize",
         "Larger batches use the machine better; activation memory grows linearly, and there are "
         "fewer steps in an epoch, which asks for a higher learning rate."},
    Hint{"lastBatch",
         "The images that are left over by whole batches: up to half of a small set, little of a "
         "large one. Kept, they form a smaller, noisier batch; dropped, others are unused in every "
         "epoch. Automatic keeps them where an epoch has fewer than 10 whole batches."},
    Hint{"labelSmoothing",
         "Less overconfident predictions, often some tenths of a point; the paper uses 0.1. The "
         "training loss no longer reaches 0."},
    Hint{"emaDecay",
         "Evaluates averaged weights: steadier and often more accurate, for one more copy of the "
         "parameters. 0.999 averages about 1,000 steps. The average warms up: at step t its decay "
         "is "
         "at most (1 + t) / (10 + t), so that it follows the first steps."},
    Hint{"flipAveraging",
         "Scores are often 0.2 to 0.5 points higher, for twice the time of an evaluation. Compare "
         "runs only with the same setting."},
    Hint{"shiftAveraging",
         "Half the weight is that of the image, a quarter each that of the image moved by a pixel "
         "up and left, and down and right. Often some tenths of a point, for three times the time "
         "of an evaluation."},
    Hint{"start.weights",
         "A trained network learns new classes from fewer images, in fewer epochs."},
    Hint{"frozenStages",
         "They keep what they have learnt and take no memory for gradients; the stem is the first. "
         "With all of them frozen only the head learns, in little time."},
    Hint{"backboneRate",
         "A tenth keeps most of what the backbone has learnt while the new head learns fast."},
    Hint{"pairedDraws",
         "Networks of one seed share the initial values of the parameters that they share, so that "
         "a comparison has less chance in it. Costs nothing."},
    Hint{"precision",
         "bfloat16 halves the memory of activations and is faster on processors that have it, with "
         "nearly the same accuracy; float32 is the reference."},
    Hint{"channelsLast", "Faster convolutions on most processors, the same results; no memory."},
    Hint{"device.kind", "A GPU trains many times faster; results differ in the last digits."},
    Hint{"device.index", "GPUs of one kind give the same results."},
    Hint{
        "device.threads",
        "Fewer leave cores to other programs and are slower. The same number gives the same bits."},
    Hint{"yieldsToOthers",
         "Stays fast beside other programs; such a run can't be repeated bit for bit."},
    Hint{"cudaGraphs", "Less time between kernels on a GPU, the same results."},
    Hint{"everyEpochs", "Each checkpoint lets you go back and inspect; it takes disk space."},
    Hint{"keepEpochs", "Limits the disk space: the oldest of these checkpoints go first."},
    Hint{"keepBest", "Keeps the weights of the best validation, which a later fall would lose."},
    Hint{
        "bestBy",
        "Accuracy is what the test reports, in steps of one image; the loss also tells epochs of "
        "equal accuracy apart, and decides ties. With few validation images the loss is steadier."},
    Hint{"keepInitial", "Lets you inspect and export the network as it was before training."},
    Hint{"everyMinutes", "How much work a crash can lose at most."},
};

bool isAtEndOf(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '.';
}

}  // namespace

std::string_view field_rows::hintFor(std::string_view path) {
  const Hint* closest = nullptr;
  for (const Hint& hint : kHints) {
    const bool isCloser = closest == nullptr || hint.end.size() > closest->end.size();
    if (isAtEndOf(path, hint.end) && isCloser) closest = &hint;
  }
  return closest == nullptr ? std::string_view() : closest->text;
}

}  // namespace lambda
