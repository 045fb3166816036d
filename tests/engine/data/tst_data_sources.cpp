#include <numeric>
#include <sys/stat.h>

#include <QtTest/QtTest>

#include "engine/data/dataset.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/archives/tar.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/config_override.h"
#include "engine/runtime/error.h"
#include "engine/values/config/fields.h"
#include "engine/values/config/validate.h"
#include "tests/support/filled_values.h"
#include "tests/support/small_cifar10.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

std::string failureOf(const std::string& named) {
  try {
    recognizeDataSource(named);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

RunConfig readConfig(const std::string& data) {
  std::vector<Problem> warnings;
  const RunConfig config = runConfigFromJson(
      R"({"schema": 1, "architecture": {}, "data": )" + data + "}", "file", warnings);
  if (!warnings.empty()) throw Error("", toText(warnings));
  return config;
}

/// The header of a file in a tar archive.
std::string tarHeader(const std::string& name, std::uint64_t bytes) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  char size[32];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(bytes));
  header.replace(124, 11, size);
  header.replace(148, 8, "        ");
  header[156] = '0';
  header.replace(257, 8, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(size, sizeof size, "%06o", sum);
  header.replace(148, 7, std::string(size) + '\0');
  return header;
}

bool hasProblemAt(const std::vector<Problem>& problems, const std::string& path) {
  return std::ranges::any_of(problems, [&](const Problem& p) { return p.path == path; });
}

}  // namespace

class TestDataSources : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKindHasItsNameAndSurvivesJson();
  void zerosBeforeTheNextEntryOfAnArchiveAreNotUnpacked();
  void configurationsFromBeforeTheKindsAreRead();
  void optionsOfAKindAreSetByTheirPath();
  void kindsAreRecognisedByWhatLiesThere();
  void whatIsUnknownOrAmbiguousIsSaid();
  void aDataSetThatHasMovedKeepsItsOptions();
  void runsAreJudgedByWhatTheDataHolds();
  void labelsBeyond255AreSplitAndKept();
  void whatIsNoDataSetButKnownSaysWhatToDo();
  void dataThatIsGoneSaysHowToNameItsPlace();
  void theDatasOwnValidationSplitIsUsed();
};

void TestDataSources::zerosBeforeTheNextEntryOfAnArchiveAreNotUnpacked() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "bomb.tar.gz";
  // A gzipped file may consist of parts: one part of zeros is repeated.
  constexpr std::uint64_t kPart = 64 << 20;
  const std::string zeros = gzipped(std::string(kPart, '\0'));
  for (const auto& [parts, names] : {std::pair(16, 1), std::pair(1, 2)}) {
    DurableWriter writer(file);
    writer.append(gzipped(tarHeader("first", parts * kPart)));
    for (int i = 0; i < parts; ++i) writer.append(zeros);
    writer.append(gzipped(tarHeader("data_batch_1.bin", 0) + std::string(1024, '\0')));
    writer.commit();
    QCOMPARE(firstTarEntries(file, 2).size(), static_cast<std::size_t>(names));
  }
}

void TestDataSources::everyKindHasItsNameAndSurvivesJson() {
  const auto& names = KindsOf<DataSource>::names;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    RunConfig config;
    config.data.source = valueOfKind<DataSource>(kind);
    QCOMPARE(config.data.source.index(), kind);
    QVERIFY(std::ranges::count(names, names[kind]) == 1);
    QVERIFY(!traitsOf(config.data.source).title.empty());
    QCOMPARE(traitsOf(config.data.source).layout.empty(), !pathOf(config.data.source));
    Filler().fill(config);
    std::vector<Problem> warnings;
    QVERIFY(runConfigFromJson(toJson(config), "file", warnings) == config);
    QVERIFY(warnings.empty());
  }
}

void TestDataSources::configurationsFromBeforeTheKindsAreRead() {
  QVERIFY(readConfig("{}").data.source == DataSource(Shapes10Source()));
  QVERIFY((readConfig(R"({"source": "shapes10", "generatedTrainCount": 600,
                          "generatedTestCount": 50})")
               .data.source == DataSource(Shapes10Source{600, 50})));
  QVERIFY(readConfig(R"({"source": "cifar10", "generatedTrainCount": 600})").data.source ==
          DataSource(Cifar10Source()));
  QVERIFY(readConfig(R"({"source": "/data/c10.tar.gz"})").data.source ==
          DataSource(Cifar10Source{"/data/c10.tar.gz"}));
  QVERIFY_THROWS_EXCEPTION(Error, readConfig(R"({"generatedTrainCount": 3})"));
  QVERIFY_THROWS_EXCEPTION(Error, readConfig(R"({"source": {"path": "x"}})"));
  QVERIFY_THROWS_EXCEPTION(Error, readConfig(R"({"source": {"kind": "mnist"}})"));
  QVERIFY_THROWS_EXCEPTION(Error, readConfig(R"({"source": 3})"));
}

void TestDataSources::optionsOfAKindAreSetByTheirPath() {
  RunConfig config;
  applyOverride(config, "data.source=/data/cifar");
  QVERIFY(config.data.source == DataSource(Cifar10Source{"/data/cifar"}));
  applyOverride(config, "data.source.kind=cifar100");
  applyOverride(config, "data.source.labels=coarse");
  applyOverride(config, "data.source.path=/data/c100");
  QVERIFY((config.data.source == DataSource(Cifar100Source{"/data/c100", Cifar100Labels::coarse})));
  applyOverride(config, R"(data.source={"kind": "imageFolder", "path": "p", "size": 96})");
  QVERIFY((config.data.source == DataSource(ImageFolderSource{"p", 96})));
  QVERIFY_THROWS_EXCEPTION(Error, applyOverride(config, "data.source.labels=coarse"));
}

void TestDataSources::kindsAreRecognisedByWhatLiesThere() {
  TemporaryFolder folder;
  const fs::path& path = folder.path();
  writeSmallCifar10(path / "c10");
  fs::create_directories(path / "archives");
  writeFileDurably(path / "archives/a.tgz", tarOf(smallEntries()));
  writeFileDurably(path / "archives/b.tgz", tarOf({{"cifar-100-binary/", "", AE_IFDIR}}));
  writeSmallCifar100(path / "c100");
  writeSmallIdx(path / "mnist");
  writePictures(path / "flat", 1);
  writePictures(path / "parts/train", 1);
  const auto kindAt = [&](const char* name) {
    const DataSource source = recognizeDataSource((path / name).string());
    return *pathOf(source) == (path / name).string() ? std::string(traitsOf(source).kind) : "";
  };
  QCOMPARE(kindAt("c10"), std::string("cifar10"));
  QCOMPARE(kindAt("archives/a.tgz"), std::string("cifar10"));
  QCOMPARE(kindAt("archives/b.tgz"), std::string("cifar100"));
  QCOMPARE(kindAt("c100"), std::string("cifar100"));
  QCOMPARE(kindAt("mnist"), std::string("idx"));
  QCOMPARE(kindAt("flat"), std::string("imageFolder"));
  QCOMPARE(kindAt("parts"), std::string("imageFolder"));
  // Text beside images is no data of its own.
  for (const char* name : {"c10", "c100", "mnist", "flat", "parts"}) {
    const std::string before = kindAt(name);
    writeFileDurably(path / name / "README.md", "# Images");
    QCOMPARE(kindAt(name), before);
  }
  fs::create_directories(path / "books/old");
  writeFileDurably(path / "books/old/first", "In the beginning");
  writeFileDurably(path / "books/index.bin", std::string("\0\1\2", 3));
  writeFileDurably(path / "book.txt", "In the beginning");
  writeFileDurably(path / "notes", "no ending, \u03bb");
  for (const char* name : {"books", "book.txt", "notes"}) {
    QCOMPARE(kindAt(name), std::string("text"));
  }
  QVERIFY(recognizeDataSource("recall") == DataSource(RecallSource()));
  QVERIFY((recognizeDataSource((path / "notes").string(), TextSource{"/old", 64}) ==
           DataSource(TextSource{(path / "notes").string(), 64})));
  QVERIFY(recognizeDataSource("shapes10") == DataSource(Shapes10Source()));
  QVERIFY(recognizeDataSource("cifar10", Cifar10Source{"/elsewhere"}) ==
          DataSource(Cifar10Source()));
}

void TestDataSources::whatIsUnknownOrAmbiguousIsSaid() {
  TemporaryFolder folder;
  const fs::path& path = folder.path();
  QVERIFY(failureOf((path / "no").string()).find("the data is not here") != std::string::npos);
  writeFileDurably(path / "bytes", std::string("no\0data", 7));
  writeFileDurably(path / "empty", "");
  writeFileDurably(path / "run.json", "{}");
  for (const fs::path& place : {path, path / "bytes", path / "empty", path / "run.json"}) {
    const std::string failure = failureOf(place.string());
    QVERIFY2(failure.find("no data set is recognised here") != std::string::npos, failure.c_str());
    for (const char* part :
         {"data_batch_1.bin", "train.bin", "train-images-idx3-ubyte", "JPEG", "UTF-8"}) {
      QVERIFY2(failure.find(part) != std::string::npos, part);
    }
  }
  writeSmallIdx(path / "both");
  writeSmallCifar100(path / "both");
  const std::string failure = failureOf((path / "both").string());
  QVERIFY2(failure.find("CIFAR-100 and IDX files") != std::string::npos, failure.c_str());
}

void TestDataSources::aDataSetThatHasMovedKeepsItsOptions() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  const std::string now = folder.path().string();
  const Cifar100Source before{"/old", Cifar100Labels::coarse};
  QVERIFY((recognizeDataSource(now, before) ==
           DataSource(Cifar100Source{now, Cifar100Labels::coarse})));
  QVERIFY(recognizeDataSource(now, Shapes10Source{100, 20}) == DataSource(Cifar100Source{now}));
  QVERIFY((recognizeDataSource("shapes10", Shapes10Source{100, 20}) ==
           DataSource(Shapes10Source{100, 20})));
}

void TestDataSources::runsAreJudgedByWhatTheDataHolds() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path());
  RunConfig config = defaultRun();
  config.data.source = recognizeDataSource(folder.path().string());
  config.data.validationCount = 60;
  QVERIFY(!hasProblemAt(validate(config), "architecture.input"));
  const DatasetInfo info = probeDataset(config.data.source);
  const std::vector<Problem> problems = validate(config, info);
  QVERIFY(hasProblemAt(problems, "architecture.input"));
  QVERIFY(hasProblemAt(problems, "data.validationCount"));
  QVERIFY(!hasProblemAt(problems, "architecture.classes"));
  // The batch size is checked against the images left for training, so one fix may cause another
  // finding.
  for (const Problem& problem : problems) {
    if (problem.severity == Severity::error) applyFix(config, *problem.fix);
  }
  for (const Problem& problem : validate(config, info)) {
    if (problem.severity == Severity::error) applyFix(config, *problem.fix);
  }
  QVERIFY2(!hasErrors(validate(config, info)), toText(validate(config, info)).c_str());
  QVERIFY((config.architecture.input == MapShape{1, 12, 10}));
  const Dataset dataset = loadDataset(config.data);
  QCOMPARE(dataset.normalization.mean.size(), std::size_t{1});
  QCOMPARE(loadTest(config.data).count(), std::size_t{20});
}

void TestDataSources::labelsBeyond255AreSplitAndKept() {
  TemporaryFolder folder;
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((folder.path() / "cache").string()));
  writePng(folder.path() / "picture.png", plainPicture(8, 8, 9, 9, 9));
  for (int i = 1000; i < 1300; ++i) {
    const fs::path place = folder.path() / "set" / std::to_string(i);
    fs::create_directories(place);
    for (const char* name : {"a.png", "b.png"}) {
      fs::copy_file(folder.path() / "picture.png", place / name);
    }
  }
  DataConfig data;
  data.source = ImageFolderSource{.path = (folder.path() / "set").string(), .size = 8};
  data.validationCount = 300;
  const Dataset dataset = loadDataset(data);
  QCOMPARE(dataset.train.classNames.at(299), std::string("1299"));
  std::vector<std::uint16_t> every(300);
  std::iota(every.begin(), every.end(), 0);
  QVERIFY(dataset.train.labels == every);
  QVERIFY(dataset.validation.labels == every);
}

void TestDataSources::whatIsNoDataSetButKnownSaysWhatToDo() {
  TemporaryFolder folder;
  const fs::path& path = folder.path();
  fs::create_directories(path / "zips");
  writeFileDurably(path / "zips/archive.zip", "PK");
  writeFileDurably(path / "train.csv", "label,pixel0");
  fs::create_directories(path / "loose");
  writePng(path / "loose/a.png", plainPicture(8, 8, 9, 9, 9));
  QCOMPARE(::mkfifo((path / "pipe").c_str(), 0600), 0);
  const auto said = [&](const fs::path& place, const char* part) {
    return failureOf((path / place).string()).find(part) != std::string::npos;
  };
  QVERIFY(said("zips/archive.zip", "is a zip archive"));
  QVERIFY(said("zips/archive.zip", "Unpack it"));
  QVERIFY(said("zips", "holds no data set that is read, but archive.zip, a zip archive"));
  QVERIFY(said("train.csv", "is a table (CSV)"));
  QVERIFY(said("loose", "but no class folders"));
  writeFileDurably(path / "zips/readme.txt", "Unpack it.");
  QVERIFY(said("zips", "archive.zip, a zip archive"));
  QVERIFY(said("loose/a.png", "is a picture, not a data set"));
  QVERIFY(said("pipe", "is a pipe or a device"));
}

void TestDataSources::dataThatIsGoneSaysHowToNameItsPlace() {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "gone").string();
  const auto said = [&](const auto& call, const std::string& part) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find(path + ": the data is not here") != std::string::npos &&
             text.find(part) != std::string::npos && text.find("--data PATH") != std::string::npos;
    }
  };
  for (const DataSource& source : {DataSource(ImageFolderSource{.path = path}),
                                   DataSource(IdxSource{path}),
                                   DataSource(Cifar100Source{path}),
                                   DataSource(TextSource{path}),
                                   DataSource(Cifar10Source{path})}) {
    const bool isCifar10 = std::holds_alternative<Cifar10Source>(source);
    const std::string part = isCifar10 ? "lambda data get cifar10" : "Check the path";
    QVERIFY(said([&] { readTrainingImages(source); }, part));
    QVERIFY(said([&] { readTestImages(source); }, part));
    QVERIFY(said([&] { probeDataset(source); }, part));
    QVERIFY(said([&] { recognizeDataSource(path, source); }, part));
  }
  QVERIFY(said([&] { recognizeDataSource(path); }, "Check the path"));
}

void TestDataSources::theDatasOwnValidationSplitIsUsed() {
  TemporaryFolder folder;
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((folder.path() / "cache").string()));
  writePictures(folder.path() / "set/train", 10);
  writePictures(folder.path() / "set/val", 4);
  writePictures(folder.path() / "set/test", 3);
  RunConfig config = defaultRun();
  config.data.source = recognizeDataSource((folder.path() / "set").string());
  const DatasetInfo info = probeDataset(config.data.source);
  QCOMPARE(info.validationCount, std::int64_t{8});
  config.data.validationCount = 4;
  QVERIFY(hasProblemAt(validate(config, info), "data.validationCount"));
  config.data.validationCount = 8;
  QVERIFY(!hasProblemAt(validate(config, info), "data.validationCount"));
  const Dataset dataset = loadDataset(config.data);
  QCOMPARE(dataset.train.count(), std::size_t{20});
  QCOMPARE(dataset.validation.count(), std::size_t{8});
  QCOMPARE(loadTest(config.data).count(), std::size_t{6});
  // A source that is moved keeps what was chosen for it.
  ImageFolderSource drawn{.path = "/elsewhere"};
  QVERIFY((recognizeDataSource((folder.path() / "set").string(), drawn) ==
           DataSource(ImageFolderSource{.path = (folder.path() / "set").string()})));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestDataSources)
#include "tst_data_sources.moc"
