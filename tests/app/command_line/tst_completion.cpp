#include <fstream>

#include <QtCore/QRegularExpression>
#include <QtCore/QStandardPaths>
#include <QtTest/QtTest>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace Qt::StringLiterals;

namespace lambda {

/// The scripts by which bash and zsh complete the program's commands, run in those shells.
class TestCompletion : public QObject {
  Q_OBJECT

 private:
  TemporaryFolder folder_;
  Program program_{folder_.path()};

  /// What bash offers for the last of the words, by the script in a folder.
  QStringList offered(const QString& line, const QString& folder = u"."_s) const {
    const ProgramOutcome outcome =
        program_.runScript(u"bash -c 'source "_s + folder +
                           u"/lambda.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _lambda; "
                           u"printf \"%s\\n\" \"${COMPREPLY[@]}\"' bash "_s +
                           line);
    return QString::fromUtf8(outcome.output).split(u'\n', Qt::SkipEmptyParts);
  }

  /// What zsh shows for the line, by the script in a folder.
  QString shown(const QString& line, const QString& folder = u"."_s) const {
    const ProgramOutcome outcome =
        program_.runScript(u"zsh -f " LAMBDA_TEST_SUPPORT "/complete.zsh \"$PWD/"_s + folder +
                           u"\" '"_s + line + u"'"_s);
    return QString::fromUtf8(outcome.output);
  }

  QStringList matches(const QString& text, const QString& pattern) const {
    QStringList found;
    const QRegularExpression expression(pattern, QRegularExpression::MultilineOption);
    auto match = expression.globalMatch(text);
    while (match.hasNext()) found << match.next().captured(1);
    return found;
  }

 private Q_SLOTS:

  void initTestCase() {
    for (const auto& [shell, file] : {std::pair{u"bash"_s, "lambda.bash"}, {u"zsh"_s, "_lambda"}}) {
      const ProgramOutcome script = program_.run({u"completion"_s, shell});
      QCOMPARE(script.status, 0);
      std::ofstream(folder_.path() / file) << script.output.toStdString();
    }
    std::ofstream(folder_.path() / "mine.json") << "{}";
  }

  void everyCommandAndItsOptionsAreOffered() {
    const QString help = QString::fromUtf8(program_.run({u"--help"_s}).output);
    const QStringList commands =
        matches(help.mid(help.indexOf(u"Commands:"_s)), u"^  ([a-z]+) {2,}"_s);
    QVERIFY(commands.size() > 15);
    QStringList first = offered(u"lambda ''"_s);
    for (const QString& command : commands) {
      QVERIFY2(first.contains(command), qPrintable(command));
      const QString text = QString::fromUtf8(program_.run({command, u"--help"_s}).output);
      const QString options = text.mid(text.indexOf(u"\nOptions:"_s));
      const QStringList expected = matches(options, u"^ {2}(?:-.,|   ) (--[a-zA-Z0-9-]+)"_s);
      const QStringList found = offered(u"lambda "_s + command + u" --"_s);
      for (const QString& option : expected) {
        QVERIFY2(found.contains(option), qPrintable(command + u' ' + option));
      }
    }
  }

  void valuesPresetsAndFilesAreOffered_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    QTest::newRow("command") << u"lambda tra"_s << u"train"_s;
    QTest::newRow("preset") << u"lambda train quick"_s << u"quickstart"_s;
    QTest::newRow("file") << u"lambda train mi"_s << u"mine.json"_s;
    QTest::newRow("file of a data set") << u"lambda data export mi"_s << u"mine.json"_s;
    QTest::newRow("file of an experiment") << u"lambda experiment run mi"_s << u"mine.json"_s;
    QTest::newRow("split") << u"lambda evaluate RUN --split v"_s << u"validation"_s;
    QTest::newRow("format") << u"lambda export RUN --to saf"_s << u"safetensors"_s;
    QTest::newRow("device") << u"lambda train quickstart --device aut"_s << u"automatic"_s;
    QTest::newRow("command within") << u"lambda data exp"_s << u"export"_s;
    QTest::newRow("option within") << u"lambda data export --spl"_s << u"--split"_s;
  }

  void valuesPresetsAndFilesAreOffered() {
    QFETCH(QString, line);
    QFETCH(QString, expected);
    QCOMPARE(offered(line), QStringList{expected});
    if (QStandardPaths::findExecutable(u"zsh"_s).isEmpty()) QSKIP("zsh is not installed");
    const QString text = shown(line);
    QVERIFY2(text.contains(expected), qPrintable(text));
  }

  void namesOfPresetsAreOfferedAndNeverRun() {
    QStringList names{u"zz two words"_s,
                      u"zz$(touch ran)"_s,
                      u"zz$HOME"_s,
                      u"zz'; touch ran; '"_s,
                      u"zz: ]) {touch ran} ("_s,
                      u"zz\\"_s,
                      u"zz`touch ran`"_s,
                      u"zzλ"_s};
    names.sort();
    const std::filesystem::path presets = folder_.path() / "presets";
    std::filesystem::create_directory(presets);
    for (const QString& name : names) {
      std::ofstream(presets / (name.toStdString() + ".json")) << "{}";
    }
    std::ofstream(presets / "zz\x1b[2J.json") << "{}";
    const ProgramOutcome scripts = program_.runScript(
        u"mkdir hostile && export LAMBDA_PRESETS=presets && "
        u"\"$LAMBDA\" completion bash >hostile/lambda.bash && "
        u"\"$LAMBDA\" completion zsh >hostile/_lambda"_s);
    QVERIFY2(scripts.status == 0, scripts.errors.constData());
    QStringList found = offered(u"lambda train zz"_s, u"hostile"_s);
    found.sort();
    QCOMPARE(found, names);
    QVERIFY(!std::filesystem::exists(folder_.path() / "ran"));
    if (QStandardPaths::findExecutable(u"zsh"_s).isEmpty()) QSKIP("zsh is not installed");
    // The names are shown as they are to be typed, with a backslash before each special character.
    const QString text = shown(u"lambda train zz"_s, u"hostile"_s).remove(u'\\');
    for (const char* part : {"two", "$(touch", "$HOME", "`touch", "{touch"}) {
      QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
    }
    QVERIFY(!std::filesystem::exists(folder_.path() / "ran"));
  }

  void nothingIsOfferedForANumber() {
    QCOMPARE(offered(u"lambda train quickstart --epochs 1"_s), QStringList());
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCompletion)
#include "tst_completion.moc"
