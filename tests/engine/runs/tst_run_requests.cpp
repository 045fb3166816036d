#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <QTest>

#include "engine/formats/json/request_json.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace lambda::test {

class TestRunRequests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void requestsReadBackAsTheyWere();
  void aTextThatIsNoRequestIsRefused_data();
  void aTextThatIsNoRequestIsRefused();
  void requestsAreTakenOnceInTheirOrder();
  void aBrokenRequestIsRemovedWithItsReason();
  void aRunThatHasEndedTakesNone();
  void aRequestThatNobodyTakesIsWithdrawn();
  void requestsOfAnEarlierStartAreDropped();
  void aLinkInTheFolderOfARunIsNotFollowed();

 private:
  RunFolder running() const {
    RunRecord record = finishedRecord("asked");
    record.status = RunStatus::running;
    return RunFolder::open(writeRun(folder_.path(), QTest::currentTestFunction(), record));
  }

  static std::vector<RunRequest> taken(const RunFolder& run, std::vector<std::string>& refusals) {
    std::vector<RunRequest> requests;
    takeRequests(
        run,
        [&](const RunRequest& request) { requests.push_back(request); },
        [&](const std::string& reason) { refusals.push_back(reason); });
    return requests;
  }

  TemporaryFolder folder_;
};

void TestRunRequests::requestsReadBackAsTheyWere() {
  const RunRequest pause{.kind = RequestKind::pause};
  QCOMPARE(toJson(pause), std::string(R"({"ask": "pause"})"));
  QVERIFY(runRequestFromJson(toJson(pause), "") == pause);
  const RunRequest change{
      .kind = RequestKind::change,
      .change = {.learningRateFactor = 0.5, .checkpoints = {.everyEpochs = 0, .keepBest = false}}};
  QVERIFY(runRequestFromJson(toJson(change), "") == change);
}

void TestRunRequests::aTextThatIsNoRequestIsRefused_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("no JSON") << std::string("pause") << std::string("line 1");
  QTest::newRow("nothing asked") << std::string("{}") << std::string("ask");
  QTest::newRow("unknown") << std::string(R"({"ask": "dance"})") << std::string("dance");
  QTest::newRow("misspelt") << std::string(R"({"ask": "change", "epoch": 3})")
                            << std::string("epoch");
  QTest::newRow("a text for a number")
      << std::string(R"({"ask": "change", "epochs": "3"})") << std::string("epochs");
}

void TestRunRequests::aTextThatIsNoRequestIsRefused() {
  QFETCH(std::string, text);
  QFETCH(std::string, reason);
  try {
    runRequestFromJson(text, "here");
    QFAIL("it was accepted");
  } catch (const Error& error) {
    QVERIFY2(std::string(error.what()).find(reason) != std::string::npos, error.what());
  }
}

void TestRunRequests::requestsAreTakenOnceInTheirOrder() {
  const RunFolder run = running();
  const std::vector<RunRequest> asked{{.kind = RequestKind::pause},
                                      {.kind = RequestKind::step},
                                      {.kind = RequestKind::change, .change = {.epochs = 9}},
                                      {.kind = RequestKind::stop}};
  for (const RunRequest& request : asked) leaveRequest(run, request);
  std::vector<std::string> refusals;
  QVERIFY(taken(run, refusals) == asked);
  QVERIFY(taken(run, refusals).empty());
  QVERIFY(refusals.empty());
  QVERIFY(fs::is_empty(run.requests()));
}

void TestRunRequests::aBrokenRequestIsRemovedWithItsReason() {
  const RunFolder run = running();
  leaveRequest(run, {.kind = RequestKind::stop});
  std::ofstream(run.requests() / "0.json") << "{\"ask\": ";
  std::ofstream(run.requests() / "1.json") << std::string(5000, ' ');
  std::vector<std::string> refusals;
  const std::vector<RunRequest> stop{{.kind = RequestKind::stop}};
  QVERIFY(taken(run, refusals) == stop);
  QCOMPARE(refusals.size(), std::size_t{2});
  QVERIFY(refusals[0].starts_with("0.json"));
  QVERIFY(fs::is_empty(run.requests()));
}

void TestRunRequests::aRunThatHasEndedTakesNone() {
  const RunFolder run = RunFolder::open(writeRun(folder_.path(), "ended", finishedRecord("ended")));
  QVERIFY_THROWS_EXCEPTION(Error, leaveRequest(run, {.kind = RequestKind::stop}));
  QVERIFY(!fs::exists(run.requests()));
}

void TestRunRequests::aRequestThatNobodyTakesIsWithdrawn() {
  const RunFolder run = running();
  const fs::path request = leaveRequest(run, {.kind = RequestKind::stop});
  QVERIFY_THROWS_EXCEPTION(Error, awaitTaken(request, 100ms));
  QVERIFY(!fs::exists(request));
  awaitTaken(request, 100ms);
}

void TestRunRequests::requestsOfAnEarlierStartAreDropped() {
  const RunFolder run = running();
  QCOMPARE(dropRequests(run), 0);
  leaveRequest(run, {.kind = RequestKind::stop});
  leaveRequest(run, {.kind = RequestKind::pause});
  QCOMPARE(dropRequests(run), 2);
  std::vector<std::string> refusals;
  QVERIFY(taken(run, refusals).empty());
}

void TestRunRequests::aLinkInTheFolderOfARunIsNotFollowed() {
  const RunFolder run = running();
  const fs::path elsewhere = folder_.path() / "elsewhere";
  fs::create_directory(elsewhere);
  std::ofstream(elsewhere / "own.json") << R"({"ask": "stop"})";
  fs::create_directory_symlink(elsewhere, run.requests());
  std::vector<std::string> refusals;
  QVERIFY(taken(run, refusals).empty());
  QCOMPARE(dropRequests(run), 0);
  QVERIFY_THROWS_EXCEPTION(Error, leaveRequest(run, {.kind = RequestKind::stop}));
  QVERIFY(fs::exists(elsewhere / "own.json"));
  QCOMPARE(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()), 1);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRunRequests)
#include "tst_run_requests.moc"
