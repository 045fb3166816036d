#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>

#include "engine/formats/files/append_file.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_tail.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

constexpr std::uint64_t kMany = 1 << 24;

const std::string kOld = "the previous content";
const std::string kNew(100'000, 'n');

// Records the names of the calls that decide what survives a power failure.
class RecordingFileSystem : public FileSystem {
 public:
  std::string calls;

  ssize_t write(int file, const void* bytes, std::size_t count) override {
    calls += "write ";
    return FileSystem::write(file, bytes, count);
  }

  int fsync(int file) override {
    struct stat facts = {};
    ::fstat(file, &facts);
    calls += S_ISDIR(facts.st_mode) ? "fsync-folder " : "fsync-file ";
    return FileSystem::fsync(file);
  }

  int rename(const char* from, const char* to) override {
    calls += "rename ";
    return FileSystem::rename(from, to);
  }
};

// Sweeps the folder at the last moment at which a file still has its temporary name.
class SweepingFileSystem : public FileSystem {
 public:
  int rename(const char* from, const char* to) override {
    sweepTemporaries(folderOf(from));
    return FileSystem::rename(from, to);
  }
};

// Opens files, but can't tell what they are.
class BlindFileSystem : public FileSystem {
 public:
  int opened = 0;

  int open(const char* path, int flags, mode_t mode) override {
    if (++opened > 1000) ::_exit(1);  // Instead of a disk full of empty files.
    return FileSystem::open(path, flags, mode);
  }

  int fstat(int, struct stat*) override {
    errno = EIO;
    return -1;
  }
};

// Has every name already.
class CrowdedFileSystem : public FileSystem {
 public:
  int attempts = 0;

  int open(const char*, int, mode_t) override {
    if (++attempts > 1000) ::_exit(1);
    errno = EEXIST;
    return -1;
  }
};

// Runs `action` in a child process, which ends without destructors like a killed one.
template <class Action>
pid_t startChild(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  return child;
}

}  // namespace

class TestDurableFile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void publishesWhatWasAppended();
  void bytesReachTheDiskBeforeTheNameDoes();
  void everyFailureLeavesAWholeFile_data();
  void everyFailureLeavesAWholeFile();
  void attemptsToCreateATemporaryAreBounded();
  void interruptedCallsAreRepeated();
  void shortWritesAreContinued();
  void fullDiskSaysWhatToDo();
  void withoutCommitNothingChanges();
  void missingFolderIsAnError();
  void sweepTakesTheDeadWritersTemporariesAlone();
  void sweepLeavesAFileThatIsAboutToBeRenamed();
  void sweepTakesLinksThatWereNotRenamed();
  void aFileAtItsLargestSizeIsReportedAsAFullDisk();
  void killedWritersLeaveAWholeFile();
  void readingRefusesWhatIsNoPlainFile();
  void readingRefusesTooLargeAFile();
  void appendedLinesFollowEachOther();
  void failedAppendLeavesWholeLines_data();
  void failedAppendLeavesWholeLines();
  void truncateReturnsToAnOffset();
  void aReplacedTailIsWholeOrAsBefore();
  void linksBelowARunAreNotFollowed();
};

void TestDurableFile::publishesWhatWasAppended() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  DurableWriter writer(path);
  writer.append("one ");
  writer.append("two");
  QCOMPARE(writer.size(), std::uint64_t{7});
  QVERIFY(!std::filesystem::exists(path));
  writer.commit();
  QCOMPARE(readFile(path, kMany), std::string("one two"));
  QCOMPARE(folder.entryCount(), 1);
  QVERIFY(errorOf([&] { writer.append("more"); }));
}

void TestDurableFile::bytesReachTheDiskBeforeTheNameDoes() {
  const TemporaryFolder folder;
  RecordingFileSystem system;
  writeFileDurably(folder.path() / "file", kNew, system);
  QCOMPARE(system.calls, std::string("write fsync-file rename fsync-folder "));

  RecordingFileSystem each;
  AppendFile log(folder.path() / "log", std::chrono::milliseconds(0), each);
  log.appendLine("one");
  QCOMPARE(each.calls, std::string("write fsync-file "));
  RecordingFileSystem seldom;
  AppendFile other(folder.path() / "other", std::chrono::hours(1), seldom);
  other.appendLine("one");
  other.sync();
  QCOMPARE(seldom.calls, std::string("write fsync-file "));
}

void TestDurableFile::everyFailureLeavesAWholeFile_data() {
  QTest::addColumn<int>("code");
  QTest::addColumn<bool>("sticky");
  QTest::newRow("disk full, once") << ENOSPC << false;
  QTest::newRow("disk full from then on") << ENOSPC << true;
  QTest::newRow("disk fault, once") << EIO << false;
  QTest::newRow("disk fault from then on") << EIO << true;
  QTest::newRow("quota") << EDQUOT << true;
}

void TestDurableFile::everyFailureLeavesAWholeFile() {
  QFETCH(const int, code);
  QFETCH(const bool, sticky);
  int failures = 0;
  for (int n = 0;; ++n) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "file";
    writeFileDurably(path, kOld);
    FaultyFileSystem system(n, code, sticky);
    bool committed = false;
    const auto error = errorOf([&] {
      DurableWriter writer(path, system);
      writer.append(kNew);
      writer.append("end");
      committed = true;
      writer.commit();
    });
    const std::string content = readFile(path, kMany);
    QVERIFY2(content == kOld || (committed && content == kNew + "end"),
             qPrintable(QString::number(n)));
    QCOMPARE(folder.entryCount(), 1);
    if (!system.anyFailed()) {
      QVERIFY(!error);
      QVERIFY(content != kOld);
      break;
    }
    // Closing the folder after its fsync is the only call that may fail without an error.
    if (error) ++failures;
  }
  QVERIFY2(failures >= 7, qPrintable(QString::number(failures)));
}

void TestDurableFile::attemptsToCreateATemporaryAreBounded() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  BlindFileSystem blind;
  const auto unknown = errorOf([&] { DurableWriter writer(path, blind); });
  QVERIFY(unknown);
  QVERIFY2(unknown->reason().find("Input/output error") != std::string::npos, unknown->what());
  QCOMPARE(blind.opened, 1);
  CrowdedFileSystem crowded;
  const auto taken = errorOf([&] { DurableWriter writer(path, crowded); });
  QVERIFY(taken);
  QVERIFY2(taken->reason().find("File exists") != std::string::npos, taken->what());
  QCOMPARE(folder.entryCount(), 0);
}

void TestDurableFile::interruptedCallsAreRepeated() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  for (int n = 0;; ++n) {
    FaultyFileSystem system(n, EINTR, false);
    // Only an interrupted opening of the folder is reported; by then the file is in place.
    errorOf([&] { writeFileDurably(path, kNew, system); });
    QCOMPARE(readFile(path, kMany), kNew);
    if (!system.anyFailed()) break;
    std::filesystem::remove(path);
  }
  QCOMPARE(folder.entryCount(), 1);
}

void TestDurableFile::shortWritesAreContinued() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  FaultyFileSystem system = FaultyFileSystem::withShortWrites(777);
  writeFileDurably(path, kNew, system);
  QCOMPARE(readFile(path, kMany), kNew);

  // A disk that writes nothing and reports no error must not cause an endless loop.
  FaultyFileSystem deaf = FaultyFileSystem::withShortWrites(0);
  const auto error = errorOf([&] { writeFileDurably(path, "x", deaf); });
  QVERIFY(error);
  QCOMPARE(readFile(path, kMany), kNew);
}

void TestDurableFile::fullDiskSaysWhatToDo() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  FaultyFileSystem system(1, ENOSPC, true);
  const auto error = errorOf([&] { writeFileDurably(path, kNew, system); });
  QVERIFY(error);
  QCOMPARE(error->place(), path.string());
  QVERIFY(error->reason().find("No space left") != std::string::npos);
  QVERIFY(error->hint().find("free space") != std::string::npos);
}

void TestDurableFile::withoutCommitNothingChanges() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  writeFileDurably(path, kOld);
  {
    DurableWriter writer(path);
    writer.append(kNew);
    QCOMPARE(folder.entryCount(), 2);
  }
  QCOMPARE(readFile(path, kMany), kOld);
  QCOMPARE(folder.entryCount(), 1);
}

void TestDurableFile::missingFolderIsAnError() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "no" / "file";
  const auto error = errorOf([&] { writeFileDurably(path, kNew); });
  QVERIFY(error);
  QCOMPARE(error->place(), path.string());
}

void TestDurableFile::sweepTakesTheDeadWritersTemporariesAlone() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const pid_t child = startChild([&] {
    auto* abandoned = new DurableWriter(path);
    abandoned->append(kNew);
  });
  QCOMPARE(::waitpid(child, nullptr, 0), child);
  DurableWriter living(path);
  living.append(kOld);
  writeFileDurably(folder.path() / ".lambda-notes.part", "a person's own file");
  QCOMPARE(folder.entryCount(), 3);

  QCOMPARE(sweepTemporaries(folder.path()), 1);
  QCOMPARE(folder.entryCount(), 2);
  living.commit();
  QCOMPARE(readFile(path, kMany), kOld);
  QCOMPARE(sweepTemporaries(folder.path()), 0);
  QCOMPARE(sweepTemporaries(folder.path() / "none"), 0);
}

void TestDurableFile::sweepLeavesAFileThatIsAboutToBeRenamed() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  SweepingFileSystem system;
  writeFileDurably(path, kNew, system);
  QCOMPARE(readFile(path, kMany), kNew);
}

void TestDurableFile::sweepTakesLinksThatWereNotRenamed() {
  const TemporaryFolder folder;
  const auto checkpoint = folder.path() / "epoch-0001.safetensors";
  writeFileDurably(checkpoint, kNew);
  std::filesystem::create_hard_link(checkpoint, folder.path() / "best.safetensors.link");
  std::filesystem::create_symlink(checkpoint, folder.path() / "mine.safetensors.link");
  writeFileDurably(folder.path() / "notes.link", "a person's own file");
  QCOMPARE(sweepTemporaries(folder.path()), 1);
  QCOMPARE(folder.entryCount(), 3);
  QCOMPARE(readFile(checkpoint, kMany), kNew);
}

void TestDurableFile::aFileAtItsLargestSizeIsReportedAsAFullDisk() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  writeFileDurably(path, kOld);
  const pid_t child = startChild([&] {
    struct sigaction ignore {};

    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignore, nullptr);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto error = errorOf([&] { writeFileDurably(path, std::string(5000, 'x')); });
    _exit(error && error->hint().find("ulimit -f") != std::string::npos ? 7 : 0);
  });
  int status = 0;
  QCOMPARE(::waitpid(child, &status, 0), child);
  QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  QCOMPARE(readFile(path, kMany), kOld);
  QCOMPARE(folder.entryCount(), 1);
}

void TestDurableFile::killedWritersLeaveAWholeFile() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const std::string contents[] = {std::string(300'000, 'a'), std::string(200'000, 'b')};
  writeFileDurably(path, contents[0]);
  for (int kill = 0; kill < 25; ++kill) {
    const pid_t child = startChild([&] {
      for (int i = 0;; ++i) writeFileDurably(path, contents[i % 2]);
    });
    ::usleep(500 + 1700 * kill);
    QCOMPARE(::kill(child, SIGKILL), 0);
    QCOMPARE(::waitpid(child, nullptr, 0), child);
    const std::string content = readFile(path, kMany);
    QVERIFY(content == contents[0] || content == contents[1]);
    sweepTemporaries(folder.path());
    QCOMPARE(folder.entryCount(), 1);
  }
}

void TestDurableFile::readingRefusesWhatIsNoPlainFile() {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path :
       {folder.path(), pipe, folder.path() / "missing", std::filesystem::path("/dev/zero")}) {
    const auto error = errorOf([&] { readFile(path, kMany); });
    QVERIFY2(error, path.c_str());
    QCOMPARE(error->place(), path.string());
  }
}

void TestDurableFile::readingRefusesTooLargeAFile() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  writeFileDurably(path, "12345");
  QCOMPARE(readFile(path, 5), std::string("12345"));
  QVERIFY(errorOf([&] { readFile(path, 4); }));
}

void TestDurableFile::appendedLinesFollowEachOther() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log";
  {
    AppendFile log(path);
    log.appendLine("one");
    QCOMPARE(log.offset(), std::uint64_t{4});
    QCOMPARE(readFile(path, kMany), std::string("one\n"));
  }
  AppendFile log(path, std::chrono::milliseconds(0));
  QCOMPARE(log.offset(), std::uint64_t{4});
  log.appendLine("two");
  QCOMPARE(readFile(path, kMany), std::string("one\ntwo\n"));
  QVERIFY(errorOf([&] { AppendFile(folder.path()); }));
}

void TestDurableFile::failedAppendLeavesWholeLines_data() {
  everyFailureLeavesAWholeFile_data();
}

void TestDurableFile::failedAppendLeavesWholeLines() {
  QFETCH(const int, code);
  QFETCH(const bool, sticky);
  for (int n = 1;; ++n) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "log";
    FaultyFileSystem system(n, code, sticky);
    std::string expected;
    {
      AppendFile log(path, std::chrono::milliseconds(0), system);
      for (const std::string line : {"first", "second", "third"}) {
        // fsync follows the write, so if it fails, the line is already in the file.
        const std::uint64_t before = log.offset();
        errorOf([&] { log.appendLine(line); });
        if (log.offset() != before) expected += line + "\n";
      }
    }
    const std::string content = readFile(path, kMany);
    // If truncating fails too, half a line may stay at the end; readers ignore it.
    QVERIFY(content.starts_with(expected));
    if (!sticky) QCOMPARE(content, expected);
    if (!system.anyFailed()) break;
  }
}

void TestDurableFile::truncateReturnsToAnOffset() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log";
  AppendFile log(path);
  log.appendLine("kept");
  const std::uint64_t offset = log.offset();
  log.appendLine("taken back");
  log.truncate(offset);
  log.appendLine("again");
  QCOMPARE(readFile(path, kMany), std::string("kept\nagain\n"));
  QVERIFY(errorOf([&] { log.truncate(1000); }));
  QCOMPARE(readFile(path, kMany), std::string("kept\nagain\n"));
}

void TestDurableFile::aReplacedTailIsWholeOrAsBefore() {
  for (int n = 0;; ++n) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "log";
    FaultyFileSystem system(n, EIO, /*sticky=*/true);
    const auto error = errorOf([&] {
      AppendFile(path).append("one\ntwo\n");
      AppendFile log(path, std::chrono::hours(1), system);
      log.replaceTail(4, "2\n");
      QCOMPARE(log.offset(), std::uint64_t{6});
      log.append("three\n");
    });
    const std::string content = readFile(path, kMany);
    // If truncating fails too, half a line may stay at the end; readers ignore it.
    QVERIFY2(content == "one\ntwo\n" || content.starts_with("one\n2\n"), content.c_str());
    if (system.anyFailed()) continue;
    QVERIFY(!error);
    QCOMPARE(content, std::string("one\n2\nthree\n"));
    break;
  }
}

void TestDurableFile::linksBelowARunAreNotFollowed() {
  const TemporaryFolder folder;
  const auto own = folder.path() / "own";
  writeFileDurably(own, kOld);
  std::filesystem::create_directory(folder.path() / "folder");
  for (const char* record : {"run.json", "experiment.json"}) {
    const auto run = folder.path() / (std::string("of ") + record);
    std::filesystem::create_directories(run / "checkpoints");
    writeFileDurably(run / record, "{}");
    std::filesystem::create_symlink(own, run / "link");
    std::filesystem::create_symlink(own, run / "checkpoints" / "link");
    std::filesystem::create_directory_symlink(folder.path() / "folder", run / "inspection");
    for (const auto& link : {run / "link", run / "checkpoints" / "link"}) {
      QVERIFY(errorOf([&] { readFile(link, kMany); }));
      QVERIFY(errorOf([&] { AppendFile{link}; }));
      QVERIFY(errorOf([&] { FileTail(link).poll([] {}, [](std::string_view) {}); }));
    }
    const auto error = errorOf([&] { writeFileDurably(run / "inspection" / "file", kNew); });
    QVERIFY(error);
    QVERIFY2(error->hint().find("link") != std::string::npos, error->what());
    // A link to the folder itself is the user's.
    const auto elsewhere = folder.path() / (std::string("link to ") + record);
    std::filesystem::create_directory_symlink(run, elsewhere);
    QCOMPARE(readFile(elsewhere / record, kMany), std::string("{}"));
    // A file that replaces a link is not written where that leads.
    writeFileDurably(run / "link", kNew);
    QCOMPARE(readFile(run / "link", kMany), kNew);
  }
  QCOMPARE(readFile(own, kMany), kOld);
  QVERIFY(std::filesystem::is_empty(folder.path() / "folder"));
}

QTEST_GUILESS_MAIN(TestDurableFile)
#include "tst_durable_file.moc"
