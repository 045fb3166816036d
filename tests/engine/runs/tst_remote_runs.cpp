#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <QTest>

#include "engine/formats/json/remote_json.h"
#include "engine/formats/json/request_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/remote/mirrored_from.h"
#include "engine/runs/remote/run_mirror.h"
#include "engine/runs/remote/run_streamer.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"

namespace fs = std::filesystem;

namespace lambda::test {

namespace {

std::string textOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The folder `there` and its copy `here`, with the connection between them in memory.
class Connection {
 public:
  explicit Connection(const TemporaryFolder& folder)
      : there(folder.path() / "there"), here(folder.path() / "here") {
    fs::create_directories(there);
    mirror = std::make_unique<RunMirror>(
        here,
        "far:runs",
        RunMirror::Listener{
            .connected = [this](const RemoteNews& hello) { host = hello.host; },
            .changed = [](const std::string&) {},
            .answered = [this](std::uint64_t id,
                               const std::string&,
                               const std::string& refusal) { answers[id] = refusal; }});
  }

  /// Begins a connection, after an earlier one or not.
  void connect() {
    Environment environment;
    environment.host = "far";
    streamer = std::make_unique<RunStreamer>(
        fs::canonical(there),
        environment,
        [this](std::string_view bytes) {
          sent += bytes.size();
          mirror->feed(bytes);
        },
        [this](const RemoteWish& wish, const fs::path& run) {
          starts.push_back(wish.config ? wish.config->name : run.filename().string());
        });
    std::istringstream lines(mirror->greeting());
    for (std::string line; std::getline(lines, line);) streamer->take(line);
  }

  /// Lets everything new arrive.
  void settle() const {
    streamer->lookNow();
    while (streamer->step()) continue;
  }

  void wish(const RemoteWish& wish) const { streamer->take(toJson(wish)); }

  /// The files of a run that are not here as they are there.
  std::vector<RemoteFile> missing(const std::string& run) const {
    std::vector<RemoteFile> files = mirror->filesOf(run);
    std::erase_if(files, [&](const RemoteFile& file) { return mirror->isHere(run, file); });
    return files;
  }

  fs::path there;
  fs::path here;
  std::string host;
  std::map<std::uint64_t, std::string> answers;
  std::vector<std::string> starts;
  std::size_t sent = 0;
  std::unique_ptr<RunMirror> mirror;
  std::unique_ptr<RunStreamer> streamer;
};

RunRecord runningRecord() {
  RunRecord record = finishedRecord("trained there");
  record.status = RunStatus::running;
  return record;
}

std::string batchLines(int from, int to) {
  std::string lines;
  for (int step = from; step <= to; ++step) {
    lines += toLine(BatchRecord{.step = step, .epoch = 1, .loss = 1.0 / step});
  }
  return lines;
}

}  // namespace

class TestRemoteRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { folder_ = std::make_unique<TemporaryFolder>(); }

  void aCopyFollowsWhatGrows();
  void aRunOfASubfolderKeepsItsPlace();
  void aFileThatIsCutIsCutInTheCopy();
  void aNewConnectionSendsOnlyWhatIsNew();
  void theEndOfARunArrivesAfterItsLastRecords();
  void requestedFilesComeWholeWithTheirTime();
  void aFileThatIsReplacedWhileItIsSentIsRefused();
  void aRunThatIsGoneLeavesTheCopy();
  void aFolderThatIsGoneLeavesTheCopyAsItIs();
  void runsThatCannotBeReadLeaveTheCopyAsItIs();
  void fetchedWeightsOutliveTheRun();
  void requestsReachTheRun();
  void wishesThatCannotBeMetAreAnswered();
  void trainingsAreStarted();
  void nobodyElseChangesACopy();
  void aCopyIsLockedWhileTheRunIsTrainedThere();
  void onlyOneWindowFollowsAFolder();
  void aFolderWithOtherFilesIsNotUsed();
  void hostileNewsChangeNothing_data();
  void hostileNewsChangeNothing();

 private:
  std::unique_ptr<TemporaryFolder> folder_;
};

void TestRemoteRuns::aCopyFollowsWhatGrows() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  const RunLock lock(RunFolder::open(run));
  appendText(run / "metrics.jsonl", batchLines(1, 3));
  appendText(run / "run.log", "one\n");
  far.connect();
  QCOMPARE(far.host, std::string("far"));
  far.settle();
  for (const char* file : {"run.json", "metrics.jsonl", "run.log"}) {
    QCOMPARE(textOf(far.here / "a" / file), textOf(run / file));
  }
  QVERIFY(!fs::exists(far.here / "a" / "histograms.jsonl"));
  // A line that is being written arrives as far as it is there.
  appendText(run / "metrics.jsonl", batchLines(4, 4).substr(0, 10));
  while (far.streamer->step()) continue;
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), textOf(run / "metrics.jsonl"));
  // More than one part.
  appendText(run / "metrics.jsonl", std::string(3 * kLargestPart + 7, 'x') + "\n");
  while (far.streamer->step()) continue;
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), textOf(run / "metrics.jsonl"));
}

void TestRemoteRuns::aRunOfASubfolderKeepsItsPlace() {
  Connection far(*folder_);
  writeRun(far.there, "study/part/b", finishedRecord("b"));
  fs::create_directories(far.there / ".hidden");
  writeRun(far.there, ".hidden/c", finishedRecord("c"));
  far.connect();
  far.settle();
  QVERIFY(fs::exists(far.here / "study" / "part" / "b" / "run.json"));
  QVERIFY(!fs::exists(far.here / ".hidden"));
}

void TestRemoteRuns::aFileThatIsCutIsCutInTheCopy() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  appendText(run / "metrics.jsonl", batchLines(1, 50));
  far.connect();
  far.settle();
  // As a run that resumes: it drops what was recorded after its checkpoint, and goes on.
  fs::resize_file(run / "metrics.jsonl", batchLines(1, 20).size());
  appendText(run / "metrics.jsonl", batchLines(121, 124));
  far.settle();
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), batchLines(1, 20) + batchLines(121, 124));
}

void TestRemoteRuns::aNewConnectionSendsOnlyWhatIsNew() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  appendText(run / "metrics.jsonl", batchLines(1, 2000));
  far.connect();
  far.settle();
  const std::size_t first = far.sent;
  appendText(run / "metrics.jsonl", batchLines(2001, 2002));
  far.sent = 0;
  far.connect();
  far.settle();
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), batchLines(1, 2002));
  QVERIFY2(far.sent < first / 10, std::to_string(far.sent).c_str());
  // A part that was cut off on the way comes again with the next connection.
  appendText(run / "metrics.jsonl", batchLines(2003, 2100));
  fs::resize_file(far.here / "a" / "metrics.jsonl", 1000);
  far.connect();
  far.settle();
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), batchLines(1, 2100));
  // A copy that differs is replaced.
  std::ofstream(far.here / "a" / "metrics.jsonl") << "something else\n";
  far.connect();
  far.settle();
  QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), batchLines(1, 2100));
}

void TestRemoteRuns::theEndOfARunArrivesAfterItsLastRecords() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  auto lock = std::make_unique<RunLock>(RunFolder::open(run));
  far.connect();
  far.settle();
  const std::string all = batchLines(1, 20000);
  appendText(run / "metrics.jsonl", all);
  writeRunRecord(run / "run.json", finishedRecord("trained there"));
  lock.reset();
  bool hadEnd = false;
  far.streamer->lookNow();
  while (far.streamer->step()) {
    std::vector<Problem> ignored;
    if (hadEnd ||
        readRunRecord(far.here / "a" / "run.json", ignored).status == RunStatus::running) {
      continue;
    }
    hadEnd = true;
    QCOMPARE(textOf(far.here / "a" / "metrics.jsonl"), all);
  }
  QVERIFY(hadEnd);
}

void TestRemoteRuns::requestedFilesComeWholeWithTheirTime() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", finishedRecord("a"));
  const std::string weights(2 * kLargestPart + 11, 'w');
  std::ofstream(run / "checkpoints" / "best.safetensors") << weights;
  std::ofstream(run / "checkpoints" / "empty.safetensors");
  std::ofstream(run / "checkpoints" / ".hidden") << "h";
  far.connect();
  far.settle();
  std::vector<RemoteFile> missing = far.missing("a");
  QCOMPARE(missing.size(), std::size_t{2});
  QCOMPARE(missing[0].name, std::string("checkpoints/best.safetensors"));
  QVERIFY(!fs::exists(far.here / "a" / "checkpoints"));
  far.wish({.kind = WishKind::fetch, .id = 7, .run = "a", .file = missing[0].name});
  far.wish({.kind = WishKind::fetch, .id = 8, .run = "a", .file = missing[1].name});
  far.settle();
  QCOMPARE(far.answers.at(7), std::string());
  QCOMPARE(far.answers.at(8), std::string());
  QCOMPARE(textOf(far.here / "a" / "checkpoints" / "best.safetensors"), weights);
  QVERIFY(fs::exists(far.here / "a" / "checkpoints" / "empty.safetensors"));
  QVERIFY(far.missing("a").empty());
  // A newer one of the same size is missing again.
  std::ofstream(run / "checkpoints" / "best.safetensors") << std::string(weights.size(), 'v');
  far.settle();
  QCOMPARE(far.missing("a").size(), std::size_t{1});
}

void TestRemoteRuns::aFileThatIsReplacedWhileItIsSentIsRefused() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", finishedRecord("a"));
  const fs::path file = run / "checkpoints" / "last.safetensors";
  std::ofstream(file) << std::string(2 * kLargestPart, 'w');
  far.connect();
  far.settle();
  far.wish({.kind = WishKind::fetch, .id = 7, .run = "a", .file = "checkpoints/last.safetensors"});
  far.streamer->step();
  std::ofstream(file) << std::string(2 * kLargestPart, 'v');
  far.settle();
  QVERIFY(far.answers.at(7).find("replaced") != std::string::npos);
  QVERIFY(!fs::exists(far.here / "a" / "checkpoints" / "last.safetensors"));
}

void TestRemoteRuns::aRunThatIsGoneLeavesTheCopy() {
  Connection far(*folder_);
  writeRun(far.there, "a", finishedRecord("a"));
  writeRun(far.there, "b", finishedRecord("b"));
  writeRun(far.there, "c", finishedRecord("c"));
  far.connect();
  far.settle();
  fs::remove_all(far.there / "a");
  far.settle();
  QVERIFY(!fs::exists(far.here / "a"));
  fs::remove_all(far.there / "b");
  far.connect();
  far.settle();
  QVERIFY(!fs::exists(far.here / "b"));
  QVERIFY(fs::exists(far.here / "c" / "run.json"));
}

void TestRemoteRuns::aFolderThatIsGoneLeavesTheCopyAsItIs() {
  Connection far(*folder_);
  writeRun(far.there, "a", finishedRecord("a"));
  far.connect();
  far.settle();
  fs::rename(far.there, folder_->path() / "unmounted");
  far.streamer->lookNow();
  QVERIFY_THROWS_EXCEPTION(Error, far.streamer->step());
  QVERIFY(fs::exists(far.here / "a" / "run.json"));
}

void TestRemoteRuns::runsThatCannotBeReadLeaveTheCopyAsItIs() {
  Connection far(*folder_);
  writeRun(far.there, "a", finishedRecord("a"));
  writeRun(far.there, "disk/b", finishedRecord("b"));
  far.connect();
  far.settle();
  // A disk that is not mounted leaves an empty folder.
  fs::rename(far.there, folder_->path() / "unmounted");
  fs::create_directory(far.there);
  far.settle();
  far.connect();
  far.settle();
  QVERIFY(fs::exists(far.here / "a" / "run.json"));
  fs::remove(far.there);
  fs::rename(folder_->path() / "unmounted", far.there);
  if (::geteuid() == 0) QSKIP("root may read every folder");
  fs::permissions(far.there / "disk", fs::perms::none);
  far.settle();
  fs::permissions(far.there / "disk", fs::perms::owner_all);
  QVERIFY(fs::exists(far.here / "disk" / "b" / "run.json"));
}

void TestRemoteRuns::fetchedWeightsOutliveTheRun() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", finishedRecord("a"));
  writeRun(far.there, "b", finishedRecord("b"));
  std::ofstream(run / "checkpoints" / "best.safetensors") << "w";
  far.connect();
  far.settle();
  far.wish({.kind = WishKind::fetch, .id = 1, .run = "a", .file = "checkpoints/best.safetensors"});
  far.settle();
  fs::remove_all(run);
  far.settle();
  QVERIFY(fs::exists(far.here / "a" / "checkpoints" / "best.safetensors"));
}

void TestRemoteRuns::requestsReachTheRun() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  far.connect();
  far.settle();
  const RunRequest change{.kind = RequestKind::change, .change = {.epochs = 9}};
  far.wish({.kind = WishKind::ask, .id = 1, .run = "a", .request = change});
  QCOMPARE(far.answers.at(1), std::string());
  std::vector<RunRequest> taken;
  takeRequests(
      RunFolder::open(run),
      [&](const RunRequest& request) { taken.push_back(request); },
      [](const std::string&) {});
  QVERIFY(taken == std::vector<RunRequest>{change});
}

void TestRemoteRuns::wishesThatCannotBeMetAreAnswered() {
  Connection far(*folder_);
  writeRun(far.there, "ended", finishedRecord("ended"));
  std::ofstream(folder_->path() / "secret") << "s";
  far.connect();
  far.settle();
  far.wish({.kind = WishKind::ask,
            .id = 1,
            .run = "ended",
            .request = RunRequest{.kind = RequestKind::stop}});
  QVERIFY(far.answers.at(1).find("ended") != std::string::npos);
  far.wish({.kind = WishKind::fetch, .id = 2, .run = "ended", .file = "../../secret"});
  QVERIFY(!far.answers.at(2).empty());
  far.wish({.kind = WishKind::fetch, .id = 3, .run = "..", .file = "checkpoints/x"});
  QVERIFY(!far.answers.at(3).empty());
  far.wish({.kind = WishKind::resume, .id = 4, .run = "none"});
  QVERIFY(!far.answers.at(4).empty());
  far.wish({.kind = WishKind::start, .id = 5});
  QVERIFY(!far.answers.at(5).empty());
  far.wish({.kind = WishKind::ask, .id = 6, .run = "ended"});
  QVERIFY(!far.answers.at(6).empty());
  QVERIFY(far.starts.empty());
  QVERIFY_THROWS_EXCEPTION(Error, far.streamer->take("GET / HTTP/1.1"));
}

void TestRemoteRuns::trainingsAreStarted() {
  Connection far(*folder_);
  writeRun(far.there, "a", finishedRecord("a"));
  far.connect();
  far.settle();
  far.wish({.kind = WishKind::start, .id = 1, .config = finishedRecord("new").config});
  far.wish({.kind = WishKind::resume, .id = 2, .run = "a"});
  const std::vector<std::string> expected{"new", "a"};
  QCOMPARE(far.starts, expected);
  far.streamer->answer(1, {}, fs::canonical(far.there) / "a");
  QCOMPARE(far.answers.at(1), std::string());
}

void TestRemoteRuns::nobodyElseChangesACopy() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "study/a", finishedRecord("a"));
  std::ofstream(run / "checkpoints" / "best.safetensors") << "w";
  far.connect();
  far.settle();
  far.wish(
      {.kind = WishKind::fetch, .id = 1, .run = "study/a", .file = "checkpoints/best.safetensors"});
  far.settle();
  const fs::path copy = far.here / "study" / "a";
  QCOMPARE(mirroredFrom(copy), std::string("far:runs"));
  QCOMPARE(mirroredFrom(run), std::string());
  try {
    const RunLock lock(RunFolder::open(copy));
    QFAIL("a copy was locked for a change");
  } catch (const Error& error) {
    QVERIFY(std::string(error.what()).find("far:runs") != std::string::npos);
  }
  QVERIFY_THROWS_EXCEPTION(Error, leaveRequest(RunFolder::open(copy), {.kind = RequestKind::stop}));
  const KeptEvaluation kept =
      keepEvaluation(copy / "checkpoints" / "best.safetensors", {.split = Split::test});
  QVERIFY(kept.problem.find("far:runs") != std::string::npos);
  QVERIFY(!fs::exists(copy / "evaluations.jsonl"));
}

void TestRemoteRuns::aCopyIsLockedWhileTheRunIsTrainedThere() {
  Connection far(*folder_);
  const fs::path run = writeRun(far.there, "a", runningRecord());
  auto lock = std::make_unique<RunLock>(RunFolder::open(run));
  far.connect();
  far.settle();
  QVERIFY(RunLock::isHeld(RunFolder::open(far.here / "a")));
  lock.reset();
  far.settle();
  QVERIFY(!RunLock::isHeld(RunFolder::open(far.here / "a")));
}

void TestRemoteRuns::onlyOneWindowFollowsAFolder() {
  const Connection far(*folder_);
  QVERIFY_THROWS_EXCEPTION(Error, RunMirror(far.here, "far:runs", {}));
}

void TestRemoteRuns::aFolderWithOtherFilesIsNotUsed() {
  {
    const Connection far(*folder_);
    writeRun(far.here, "a", finishedRecord("a"));
  }
  QVERIFY_THROWS_EXCEPTION(Error, RunMirror(folder_->path() / "here", "other:runs", {}));
  QVERIFY(fs::exists(folder_->path() / "here" / "a" / "run.json"));
  std::ofstream(folder_->path() / "mine") << "m";
  QVERIFY_THROWS_EXCEPTION(Error, RunMirror(folder_->path(), "far:runs", {}));
  QVERIFY(!fs::exists(folder_->path() / kMirrorMark));
}

void TestRemoteRuns::hostileNewsChangeNothing_data() {
  QTest::addColumn<std::string>("news");
  const auto part = [](const std::string& run, const std::string& file, std::uint64_t from = 0) {
    return toJson(RemoteNews{
               .kind = NewsKind::part, .run = run, .file = file, .from = from, .bytes = 1}) +
           "\nx";
  };
  QTest::newRow("above the folder") << part("../../a", "run.json");
  QTest::newRow("absolute") << part("/tmp/a", "run.json");
  QTest::newRow("nothing") << part("", "run.json");
  QTest::newRow("empty part") << part("a//b", "run.json");
  QTest::newRow("hidden") << part(".ssh", "run.json");
  QTest::newRow("too deep") << part("a/b/c/d/e/f", "run.json");
  QTest::newRow("a control character") << part("a\nb", "run.json");
  QTest::newRow("a file above") << part("a", "../run.json");
  QTest::newRow("a file of another kind") << part("a", "start.sh");
  QTest::newRow("a checkpoint above") << part("a", "checkpoints/../../x");
  QTest::newRow("a hidden checkpoint") << part("a", "checkpoints/.x");
  QTest::newRow("the mark") << part("a", ".mirrored-from");
  QTest::newRow("a gap") << part("a", "metrics.jsonl", 10);
  QTest::newRow("a record in parts") << part("a", "run.json", 10);
  QTest::newRow("a large part") << toJson(RemoteNews{.kind = NewsKind::part,
                                                     .run = "a",
                                                     .file = "run.log",
                                                     .bytes = 1ULL << 40}) +
                                       "\n";
  QTest::newRow("another version")
      << toJson(RemoteNews{.kind = NewsKind::hello, .version = 99}) + "\n";
  QTest::newRow("no JSON") << std::string("Welcome to the cluster!\n");
  QTest::newRow("no end") << std::string(kLongestMessage + 1, 'x');
  QTest::newRow("an answer above the folder")
      << toJson(RemoteNews{.kind = NewsKind::answer, .run = "../there", .id = 1}) + "\n";
  QTest::newRow("an absolute answer")
      << toJson(RemoteNews{.kind = NewsKind::answer, .run = "/tmp", .id = 1}) + "\n";
  QTest::newRow("gone above the folder")
      << toJson(RemoteNews{.kind = NewsKind::gone, .run = "../there"}) + "\n";
}

void TestRemoteRuns::hostileNewsChangeNothing() {
  QFETCH(std::string, news);
  Connection far(*folder_);
  writeRun(far.there, "mine", finishedRecord("mine"));
  const auto files = [&] {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_->path())) {
      if (entry.is_regular_file()) all.push_back(entry.path().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<std::string> before = files();
  far.mirror->greeting();
  QVERIFY_THROWS_EXCEPTION(Error, far.mirror->feed(news));
  std::vector<std::string> after = files();
  // An empty log of a run inside of the copy is the most that a bad offset leaves.
  std::erase((after), (far.here / "a" / "metrics.jsonl").string());
  QCOMPARE(after, before);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRemoteRuns)
#include "tst_remote_runs.moc"
