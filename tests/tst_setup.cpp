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
};

/// If the reader of a pipe ends early, SIGPIPE kills the writer, and pipefail makes the pipe fail.
void TestSetup::aDriverIsFoundHoweverMuchItSays() {
  const TemporaryFolder folder;
  const fs::path program = folder.path() / "nvidia-smi";
  std::ofstream(program) << "#!/bin/sh\necho GPU 0\nseq 100000\n";
  fs::permissions(program, fs::perms::owner_all);
  const ProgramOutcome outcome =
      Program(folder.path())
          .runScript(u"PATH=\"$PWD:$PATH\" bash -c 'source \"$0\"; has_nvidia_driver' "_s +
                     QStringLiteral(LAMBDA_SOURCE "/app/setup"));
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestSetup)
#include "tst_setup.moc"
