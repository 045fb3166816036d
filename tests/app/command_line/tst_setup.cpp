#include <filesystem>
#include <fstream>

#include <QtTest/QtTest>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// The scripts that install the dependencies and build.
class TestSetup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDriverIsFoundHoweverMuchItSays();
  void kernelsForCudaAreBuiltWithADriverOrOnRequest();
  void theInstructionSetOfACpu();
  void kernelsForAnyMachineServeEach();
  void aBuildSaysHowFarItIs();
  void aFailedBuildShowsWhatTheCompilerSaid();
  void oneBuildOfAFolderWaitsForTheOther();

 private:
  /// Runs a script of bash with the functions of app/setup in a folder.
  static ProgramOutcome runWithSetup(const fs::path& folder, const std::string& script) {
    std::ofstream(folder / "script") << "set -euo pipefail\nsource " LAMBDA_SOURCE "/app/setup\n"
                                     << script;
    return Program(folder).runScript(u"bash script"_s);
  }

  static void writeProgram(const fs::path& file, const std::string& text) {
    std::ofstream(file) << "#!/bin/sh\n" << text << '\n';
    fs::permissions(file, fs::perms::owner_all);
  }
};

/// If the reader of a pipe ends early, SIGPIPE kills the writer, and pipefail makes the pipe fail.
void TestSetup::aDriverIsFoundHoweverMuchItSays() {
  const TemporaryFolder folder;
  writeProgram(folder.path() / "nvidia-smi", "echo GPU 0\nseq 100000");
  const ProgramOutcome outcome =
      runWithSetup(folder.path(), "PATH=\"$PWD:$PATH\"\nhas_nvidia_driver\n");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
}

void TestSetup::kernelsForCudaAreBuiltWithADriverOrOnRequest() {
  const TemporaryFolder folder;
  writeProgram(folder.path() / "nvcc", "echo 'release 13.0, V13.0.88'");
  const ProgramOutcome outcome = runWithSetup(folder.path(), R"(
install_packages() { :; }
export LAMBDA_TORCH_DIR=/nowhere
lambda_cache=$PWD/cache
with() { LAMBDA_NVCC=$PWD/nvcc; lambda_setup "${@:2}"; echo "$1: ${LAMBDA_NVCC##*/}"; }
has_nvidia_driver() { return 1; }
with nothing
with request --cuda
with tests --tests
has_nvidia_driver() { return 0; }
with driver
)");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.output, "nothing: \nrequest: nvcc\ntests: nvcc\ndriver: nvcc\n"_ba);
}

void TestSetup::theInstructionSetOfACpu() {
  const TemporaryFolder folder;
  const ProgramOutcome outcome = runWithSetup(folder.path(), R"sh(
of() { lambda_instruction_set <(printf 'processor : 0\nflags\t\t: %s\nflags\t\t: none\n' "$1"); }
avx2='fpu avx avx2 fma bmi1 bmi2 f16c pclmulqdq aes'
echo "$(of 'fpu sse2 avx'),$(of "$avx2"),$(of "$avx2 avx512f"),$(of "$avx2 avx512f avx512vl avx512dq avx512bw")"
)sh");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.output, ",AVX2,AVX2,AVX3\n"_ba);
}

void TestSetup::kernelsForAnyMachineServeEach() {
  const TemporaryFolder folder;
  writeProgram(folder.path() / "cmake", "echo \"$@\"");
  const ProgramOutcome outcome = runWithSetup(folder.path(), R"sh(
PATH=$PWD:$PATH LAMBDA_TORCH_DIR=torch LAMBDA_NVCC= lambda_root=$PWD
mkdir -p build/release && touch build/release/build.ninja
wanted() {
  printf '%s\n' LAMBDA_TORCH_DIR:PATH=torch LAMBDA_NVCC:FILEPATH= "LAMBDA_INSTRUCTION_SET:STRING=$1" >build/release/CMakeCache.txt
  rm -f build/release/configure.log
  lambda_configure release "$2"
  echo "built '$1', wanted '$2': $(grep -o 'SET:STRING=.*' build/release/configure.log 2>/dev/null)"
}
wanted '' AVX3
wanted AVX3 AVX3
wanted AVX3 AVX2
wanted AVX3 ''
)sh");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.output,
           "built '', wanted 'AVX3': \nbuilt 'AVX3', wanted 'AVX3': \n"
           "built 'AVX3', wanted 'AVX2': SET:STRING=AVX2\n"
           "built 'AVX3', wanted '': SET:STRING=\n"_ba);
}

void TestSetup::aBuildSaysHowFarItIs() {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "build.ninja") << "rule work\n  command = touch $out\n"
                                                  "build one: work\nbuild two: work\n";
  const ProgramOutcome outcome = runWithSetup(folder.path(), "run_ninja . 2\n");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("2 steps by 2 processes, about "), outcome.errors.constData());
  QVERIFY(fs::exists(folder.path() / "two"));
  // A terminal has one line that changes.
  fs::remove(folder.path() / "one");
  const ProgramOutcome onTerminal =
      runWithSetup(folder.path(),
                   "export -f run_ninja\nSHELL=/bin/bash script -qec 'bash -c \"run_ninja . 1\"' "
                   "/dev/null </dev/null\n");
  QVERIFY2(onTerminal.output.contains("\r\x1b[K  1 of 1 steps, 100 %, "),
           onTerminal.output.constData());
}

void TestSetup::aFailedBuildShowsWhatTheCompilerSaid() {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "build.ninja")
      << "rule work\n  command = echo expected a semicolon; false\nbuild one: work\n";
  const ProgramOutcome outcome = runWithSetup(folder.path(), "run_ninja . 1\n");
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("\nexpected a semicolon\n"), outcome.errors.constData());
  QVERIFY(outcome.output.isEmpty());
}

void TestSetup::oneBuildOfAFolderWaitsForTheOther() {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "build/release");
  std::ofstream(folder.path() / "build/release/build.ninja")
      << "rule work\n  command = date +%s%N > $out; sleep 0.3; date +%s%N >> $out\n"
         "build one: work\nbuild two: work\nbuild build.ninja: phony\n";
  const ProgramOutcome outcome = runWithSetup(folder.path(), R"(
lambda_root=$PWD
lambda_build release one &
lambda_build release two
wait
sort -c <(cat build/release/one build/release/two) || sort -c <(cat build/release/two build/release/one)
)");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("Waiting for another build of build/release"),
           outcome.errors.constData());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestSetup)
#include "tst_setup.moc"
