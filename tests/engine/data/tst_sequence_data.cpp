#include <atomic>
#include <filesystem>
#include <numeric>
#include <set>
#include <sys/stat.h>
#include <thread>

#include <QTest>

#include "engine/data/sequences/sequence_data.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

namespace fs = std::filesystem;

/// A text in which each byte tells its place, up to 95 different ones.
std::string numberedText(std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(' ' + i % 95);
  return text;
}

const DataSource kDrawn[] = {
    RecallSource{.trainCount = 40, .validationCount = 5, .testCount = 7},
    CopySource{
        .vocabulary = 9, .length = 30, .trainCount = 3, .validationCount = 2, .testCount = 1}};

constexpr Split kSplits[] = {Split::train, Split::validation, Split::test};

/// The sequence at a place of a batch.
TokenSequence at(const TokenBatch& batch, int length, int place) {
  const auto part = [&](const std::vector<std::int64_t>& all) {
    const auto begin = all.begin() + std::ptrdiff_t{place} * length;
    return std::vector<std::int32_t>(begin, begin + length);
  };
  return {part(batch.tokens), part(batch.targets)};
}

}  // namespace

class TestSequenceData : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTextHasConsecutiveWindowsOfEachPart();
  void anEpochOfATextHasAsManySequencesAsChosen();
  void trainingReadsOnlyTheFirstPartOfAText();
  void drawnSequencesAreNewInEachStep();
  void theSizeOfABatchChangesNoSeriesOfSequences();
  void drawnSequencesAreScoredOnTheSameOnes();
  void whatIsKnownWithoutOpeningIsTrue();
  void digestsTellDataApart();
  void threadsReadAtOnce();
  void whatCanNotBeReadIsSaid();
  void imagesAndSequencesAreNotMistaken();
  void aCheckReportsWhatIsThere();
};

void TestSequenceData::aTextHasConsecutiveWindowsOfEachPart() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "text.txt";
  const std::string text = numberedText(2000);
  writeFileDurably(file, text);
  const auto data = SequenceData::open(TextSource{file.string(), 30});
  QCOMPARE(data->vocabulary(), 256);
  QCOMPARE(data->length(), 30);
  // 1800, 100 and 100 bytes.
  QCOMPARE(data->count(Split::train), std::uint64_t{59});
  QCOMPARE(data->count(Split::validation), std::uint64_t{3});
  QCOMPARE(data->count(Split::test), std::uint64_t{3});
  const std::size_t begins[] = {0, 1800, 1900};
  for (const Split split : kSplits) {
    for (std::uint64_t i = 0; i < data->count(split); ++i) {
      const std::size_t begin = begins[static_cast<int>(split)] + 30 * i;
      const TokenSequence sequence = data->sequence(split, i);
      QCOMPARE(sequence.tokens.size(), std::size_t{30});
      for (std::size_t j = 0; j < 30; ++j) {
        QCOMPARE(sequence.tokens[j], std::int32_t{text[begin + j]});
        QCOMPARE(sequence.targets[j], std::int32_t{text[begin + j + 1]});
      }
    }
  }
  const DatasetInfo info = infoOf(*data);
  QVERIFY((info.shape == MapShape{1, 1, 30}) && info.task == Task::tokens);
  QCOMPARE(info.classes, 256);
  QCOMPARE(info.trainCount, std::int64_t{62});
  QCOMPARE(info.validationCount, std::int64_t{3});
  QCOMPARE(info.testCount, std::int64_t{3});
}

void TestSequenceData::anEpochOfATextHasAsManySequencesAsChosen() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "text.txt";
  writeFileDurably(file, numberedText(2000));
  const auto whole = SequenceData::open(TextSource{file.string(), 30});
  const auto few = SequenceData::open(TextSource{file.string(), 30, 4});
  const auto many = SequenceData::open(TextSource{file.string(), 30, 118});
  QCOMPARE(few->count(Split::train), std::uint64_t{4});
  QCOMPARE(many->count(Split::train), std::uint64_t{118});
  QCOMPARE(few->count(Split::validation), whole->count(Split::validation));
  QCOMPARE(few->count(Split::test), whole->count(Split::test));
  // The part has 59 windows: some of them at even distances, or each of them twice.
  for (const std::uint64_t i : {0, 1, 2, 3}) {
    QCOMPARE(few->sequence(Split::train, i).tokens,
             whole->sequence(Split::train, i * 59 / 4).tokens);
  }
  for (const std::uint64_t i : {0, 1, 58, 117}) {
    QCOMPARE(many->sequence(Split::train, i).tokens, whole->sequence(Split::train, i / 2).tokens);
  }
  QCOMPARE(few->trainingBatch(3, 5, 8).tokens, whole->trainingBatch(3, 5, 8).tokens);
}

void TestSequenceData::trainingReadsOnlyTheFirstPartOfAText() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "text";
  writeFileDurably(file, std::string(900, 'a') + std::string(100, 'b'));
  const auto data = SequenceData::open(TextSource{file.string(), 20});
  const TokenBatch batch = data->trainingBatch(3, 5, 500);
  QCOMPARE(batch.tokens.size(), std::size_t{500 * 20});
  QCOMPARE(batch.targets.size(), batch.tokens.size());
  for (const auto* all : {&batch.tokens, &batch.targets}) {
    QVERIFY(std::ranges::all_of(*all, [](std::int64_t token) { return token == 'a'; }));
  }
  QVERIFY(data->trainingBatch(3, 5, 0).tokens.empty());
}

void TestSequenceData::drawnSequencesAreNewInEachStep() {
  for (const DataSource& source : kDrawn) {
    const auto data = SequenceData::open(source);
    std::set<std::vector<std::int32_t>> seen;
    for (const std::uint64_t seed : {1, 2}) {
      for (std::uint64_t step = 0; step < 5; ++step) {
        const TokenBatch batch = data->trainingBatch(seed, step, 4);
        for (int i = 0; i < 4; ++i) {
          QVERIFY(seen.insert(at(batch, data->length(), i).tokens).second);
        }
      }
    }
  }
}

void TestSequenceData::theSizeOfABatchChangesNoSeriesOfSequences() {
  for (const DataSource& source : kDrawn) {
    const auto data = SequenceData::open(source);
    const TokenBatch all = data->trainingBatch(7, 0, 12);
    for (const int size : {1, 2, 3, 4, 6}) {
      TokenBatch joined;
      for (int step = 0; step < 12 / size; ++step) {
        const TokenBatch batch = data->trainingBatch(7, step, size);
        for (int i = 0; i < size; ++i) joined.add(at(batch, data->length(), i));
      }
      QVERIFY(joined.tokens == all.tokens && joined.targets == all.targets);
    }
    // The number of a sequence has 64 bits.
    const TokenBatch late = data->trainingBatch(7, std::uint64_t{1} << 40, 3);
    QVERIFY(late.tokens != data->trainingBatch(7, 0, 3).tokens);
  }
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "text";
  writeFileDurably(file, numberedText(3000));
  const auto text = SequenceData::open(TextSource{file.string(), 16});
  const TokenBatch large = text->trainingBatch(7, 3, 8), small = text->trainingBatch(7, 3, 5);
  for (int i = 0; i < 5; ++i) QVERIFY(at(large, 16, i) == at(small, 16, i));
}

void TestSequenceData::drawnSequencesAreScoredOnTheSameOnes() {
  for (const DataSource& source : kDrawn) {
    const auto first = SequenceData::open(source), second = SequenceData::open(source);
    std::set<std::vector<std::int32_t>> seen;
    for (const Split split : kSplits) {
      for (std::uint64_t i = 0; i < first->count(split); ++i) {
        const TokenSequence sequence = first->sequence(split, i);
        QVERIFY(sequence == second->sequence(split, i));
        QVERIFY(seen.insert(sequence.tokens).second);
      }
    }
  }
}

void TestSequenceData::whatIsKnownWithoutOpeningIsTrue() {
  for (const DataSource& source : kDrawn) {
    QVERIFY(announcedInfo(source) == infoOf(*SequenceData::open(source)));
    QVERIFY(announcedInfo(source) == probeDataset(source));
  }
  QVERIFY(!announcedInfo(TextSource()));
}

void TestSequenceData::digestsTellDataApart() {
  const TemporaryFolder folder;
  const std::string text = numberedText(3 << 20);
  const fs::path file = folder.path() / "text", parts = folder.path() / "parts";
  fs::create_directories(parts);
  writeFileDurably(file, text);
  writeFileDurably(parts / "1", text.substr(0, 1'500'000));
  writeFileDurably(parts / "2", text.substr(1'500'000));
  const auto digestOfText = [](const fs::path& path, int length) {
    return SequenceData::open(TextSource{path.string(), length})->digest();
  };
  QCOMPARE(digestOfText(file, 30), sha256Hex(text));
  // The same bytes, however they are stored and cut.
  QCOMPARE(digestOfText(parts, 64), sha256Hex(text));
  std::set<std::string> digests{sha256Hex(text)};
  for (const DataSource& source : kDrawn) {
    const std::string digest = SequenceData::open(source)->digest();
    QCOMPARE(digest.size(), std::size_t{64});
    QCOMPARE(SequenceData::open(source)->digest(), digest);
    QVERIFY(digests.insert(digest).second);
  }
  QVERIFY(digests.insert(SequenceData::open(RecallSource{.pairs = 7})->digest()).second);
  QVERIFY(digests.insert(SequenceData::open(RecallSource{.testCount = 7})->digest()).second);
}

void TestSequenceData::threadsReadAtOnce() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "text";
  writeFileDurably(file, numberedText(100'000));
  const auto data = SequenceData::open(TextSource{file.string(), 50});
  const TokenBatch expected = data->trainingBatch(1, 2, 20);
  const TokenSequence scored = data->sequence(Split::test, 3);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int repeat = 0; repeat < 50; ++repeat) {
          wrong += data->trainingBatch(1, 2, 20).tokens != expected.tokens;
          wrong += data->sequence(Split::test, 3) != scored;
        }
      });
    }
  }
  QCOMPARE(wrong.load(), 0);
}

void TestSequenceData::whatCanNotBeReadIsSaid() {
  const TemporaryFolder folder;
  const fs::path& path = folder.path();
  writeFileDurably(path / "short.txt", std::string(100, 'a'));
  writeFileDurably(path / "binary.txt", std::string("text\0text", 9));
  writeFileDurably(path / "latin1.md", "caf\xE9 au lait");
  writeFileDurably(path / "empty.txt", "");
  fs::create_directories(path / "nothing");
  QCOMPARE(::mkfifo((path / "pipe").c_str(), 0600), 0);
  const auto said = [&](const char* name, int length, const std::string& part) {
    const TextSource source{(path / name).string(), length};
    const auto error = errorOf([&] { SequenceData::open(source); });
    const DataReport report = checkDataset(source);
    return error && std::string(error->what()).find(part) != std::string::npos && !report.usable &&
           !report.info && report.findings.size() == 1 &&
           report.findings[0].severity == Severity::error;
  };
  QVERIFY(said("short.txt", 30, "the part for validation has 5 bytes"));
  QVERIFY(said("short.txt", 0, "is outside"));
  QVERIFY(said("short.txt", -5, "is outside"));
  QVERIFY(said("binary.txt", 1, "NUL byte at offset 4"));
  QVERIFY(said("latin1.md", 1, "is not UTF-8 at offset 3"));
  QVERIFY(said("empty.txt", 1, "is empty"));
  QVERIFY(said("nothing", 1, "holds no text"));
  QVERIFY(said("none", 1, "none"));
  QVERIFY(said("pipe", 1, "pipe"));
  // What is called a text is one, so that the message says what is wrong with it.
  for (const char* name : {"binary.txt", "latin1.md", "empty.txt"}) {
    QVERIFY((recognizeDataSource((path / name).string()) ==
             DataSource(TextSource{(path / name).string()})));
  }
  QVERIFY(errorOf([] { SequenceData::open(CopySource{.length = 7}); }).has_value());
  QVERIFY(errorOf([] { SequenceData::open(RecallSource{.pairs = 60}); }).has_value());

  // A text that was cut after it was opened.
  writeFileDurably(path / "cut", numberedText(2000));
  const auto data = SequenceData::open(TextSource{(path / "cut").string(), 30});
  fs::resize_file(path / "cut", 1000);
  QVERIFY(errorOf([&] { data->sequence(Split::test, 0); }).has_value());
  QVERIFY(errorOf([&] { data->digest(); }).has_value());
}

void TestSequenceData::imagesAndSequencesAreNotMistaken() {
  const TemporaryFolder folder;
  writeFileDurably(folder.path() / "text", numberedText(2000));
  for (const DataSource& source :
       {DataSource(TextSource{(folder.path() / "text").string(), 30}), kDrawn[0], kDrawn[1]}) {
    for (const auto& error :
         {errorOf([&] { readTrainingImages(source); }), errorOf([&] { readTestImages(source); })}) {
      QVERIFY(error &&
              std::string(error->what()).find("has sequences, not images") != std::string::npos);
    }
  }
  const auto error = errorOf([] { SequenceData::open(Shapes10Source()); });
  QVERIFY(error &&
          std::string(error->what()).find("has images, not sequences") != std::string::npos);
}

void TestSequenceData::aCheckReportsWhatIsThere() {
  const TemporaryFolder folder;
  const std::string lines = "one\r\ntwo\r\n" + numberedText(2000);
  writeFileDurably(folder.path() / "a", lines);
  writeFileDurably(folder.path() / "b.bin", std::string("\0", 1));
  const TextSource source{folder.path().string(), 30};
  const DataReport report = checkDataset(source);
  QVERIFY(report.usable && report.info);
  QCOMPARE(report.sha256, sha256Hex(lines));
  QCOMPARE(report.findings.size(), std::size_t{2});
  QVERIFY(*report.info == probeDataset(source));
  QCOMPARE(report.info->notes.size(), std::size_t{2});
  QVERIFY(report.info->notes[0].find("2 line ends are CR LF") == 0);
  const DataReport drawn = checkDataset(kDrawn[0]);
  QVERIFY(drawn.usable && drawn.findings.empty());
  QCOMPARE(drawn.source, std::string("recall"));
}

QTEST_GUILESS_MAIN(TestSequenceData)
#include "tst_sequence_data.moc"
