#include "engine/formats/cifar/cifar_layout.h"

namespace lambda {

namespace {

constexpr std::string_view kPythonVersion =
    "the Python version, whose files are pickles; this program does not run pickles";

}  // namespace

CifarLayout cifar10Layout() {
  const std::string fetchHint =
      "fetch the set again (lambda data get cifar10), or use a complete copy";
  return {.title = "CIFAR-10",
          .folder = "cifar-10-batches-bin",
          .archive = "cifar-10-binary.tar.gz",
          .archiveSha256 = kCifar10ArchiveSha256,
          // The digests are from Apache MXNet's reader (gluon.data.vision.CIFAR10).
          .files = {{"data_batch_1.bin", 10'000, "aadd24acce27caa71bf4b10992e9e7b2d74c2540"},
                    {"data_batch_2.bin", 10'000, "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"},
                    {"data_batch_3.bin", 10'000, "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"},
                    {"data_batch_4.bin", 10'000, "aab85764eb3584312d3c7f65fd2fd016e36a258e"},
                    {"data_batch_5.bin", 10'000, "26e2849e66a845b7f1e4614ae70f4889ae604628"},
                    {"test_batch.bin", 10'000, "67eb016db431130d61cd03c7ad570b013799c88c"}},
          .labels = {{.classes = 10, .namesFile = "batches.meta.txt"}},
          .classNames = {"airplane",
                         "automobile",
                         "bird",
                         "cat",
                         "deer",
                         "dog",
                         "frog",
                         "horse",
                         "ship",
                         "truck"},
          .signs = {"data_batch_1", "cifar-10-batches-py", "cifar-10-batches-mat"},
          .archivedFolder = "cifar-10-batches-",
          .folderStart = "cifar-10-batches-",
          .pythonFiles = {"data_batch_1"},
          .versions = {{"cifar-10-batches-py", kPythonVersion},
                       {"cifar-10-batches-mat", "the MATLAB version"},
                       {"cifar-100-", "CIFAR-100"}},
          .texts = {.noFiles = "holds none of CIFAR-10's files (data_batch_1.bin, ...)",
                    .missingNames = "is missing: the published class names are used",
                    .wrongNames = "does not hold ten class names: the published ones are used",
                    .archiveHint =
                        "use the original cifar-10-binary.tar.gz (lambda data get cifar10 fetches "
                        "or completes it)",
                    .filesHint = fetchHint,
                    .twiceHint = "use the original archive",
                    .versionHint =
                        "the binary version is needed: cifar-10-binary.tar.gz (lambda data get "
                        "cifar10)"}};
}

CifarLayout cifar100Layout(Cifar100Labels labels) {
  const bool isFine = labels == Cifar100Labels::fine;
  const std::string noNames = std::string("is missing or does not hold ") +
                              (isFine ? "100" : "20") + " names: the classes are numbered";
  const std::string hint = "Use the original binary version, cifar-100-binary.tar.gz.";
  return {
      .title = "CIFAR-100",
      .folder = "cifar-100-binary",
      .archive = "cifar-100-binary.tar.gz",
      .files = {{"train.bin", 50'000}, {"test.bin", 10'000}},
      .labels = {{100, "fine_label_names.txt", 1 << 16}, {20, "coarse_label_names.txt", 1 << 16}},
      .label = isFine ? std::size_t{0} : std::size_t{1},
      .isStrict = true,
      .signs = {"fine_label_names.txt", "cifar-100-python"},
      .archivedFolder = "cifar-100-",
      .pythonFiles = {"meta", "train", "test"},
      .versions = {{"cifar-100-python", kPythonVersion}},
      .texts = {.missingNames = noNames,
                .wrongNames = noNames,
                .archiveHint = hint,
                .filesHint = hint,
                .twiceHint = hint,
                .versionHint = hint}};
}

}  // namespace lambda
