#include <atomic>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <QtTest/QtTest>

#include "engine/formats/files/durable_file.h"
#include "engine/runs/run_folder.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace lambda {

/// The lock of a run, between threads and between processes.
class TestRunLock : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneHoldsItAtATime();
  void lookingNeverKeepsAStartFromItsLock();
  void aKilledProcessLeavesNoLock();
  void otherLocksAndMissingFoldersAreNotHeld();

 private:
  TemporaryFolder root_;
  RunFolder folder_ = [this] {
    RunFolder folder = RunFolder::create(root_.path(), "locked");
    writeFileDurably(folder.record(), "{}");
    return folder;
  }();
};

namespace {

/// Runs `work` in another process and returns its exit status.
template <class Work>
int inProcess(const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void TestRunLock::oneHoldsItAtATime() {
  QVERIFY(!RunLock::isHeld(folder_));
  {
    const RunLock lock(folder_);
    QVERIFY(RunLock::isHeld(folder_));
    QVERIFY(errorOf([&] { const RunLock second(folder_); }));
    QCOMPARE(inProcess([&] { return RunLock::isHeld(folder_) ? 7 : 0; }), 7);
    QCOMPARE(inProcess([&] { return errorOf([&] { const RunLock second(folder_); }) ? 7 : 0; }), 7);
    QVERIFY(RunLock::isHeld(folder_));
  }
  QVERIFY(!RunLock::isHeld(folder_));
  QCOMPARE(inProcess([&] { return errorOf([&] { const RunLock second(folder_); }) ? 7 : 0; }), 0);
}

void TestRunLock::lookingNeverKeepsAStartFromItsLock() {
  constexpr int kStarts = 20'000;
  const pid_t looker = fork();
  if (looker == 0) {
    for (;;) RunLock::isHeld(folder_);
  }
  std::atomic<bool> over = false;
  std::thread thread([&] {
    while (!over) RunLock::isHeld(folder_);
  });
  int refused = 0, unseen = 0;
  for (int i = 0; i < kStarts; ++i) {
    const auto failure = errorOf([&] {
      const RunLock lock(folder_);
      unseen += RunLock::isHeld(folder_) ? 0 : 1;
    });
    refused += failure ? 1 : 0;
  }
  over = true;
  thread.join();
  ::kill(looker, SIGKILL);
  waitpid(looker, nullptr, 0);
  QCOMPARE(refused, 0);
  QCOMPARE(unseen, 0);
}

void TestRunLock::aKilledProcessLeavesNoLock() {
  int ready[2];
  QCOMPARE(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const RunLock lock(folder_);
    [[maybe_unused]] const auto written = write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
  QVERIFY(RunLock::isHeld(folder_));
  ::kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  QVERIFY(!RunLock::isHeld(folder_));
}

void TestRunLock::otherLocksAndMissingFoldersAreNotHeld() {
  const int descriptor = ::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
  QCOMPARE(flock(descriptor, LOCK_SH), 0);
  QVERIFY(!RunLock::isHeld(folder_));
  ::close(descriptor);
  const RunFolder gone = RunFolder::create(root_.path(), "gone");
  fs::remove_all(gone.path());
  QVERIFY(!RunLock::isHeld(gone));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRunLock)
#include "tst_run_lock.moc"
