#include <string>
#include <string_view>
#include <vector>

#include <QtCore/QDirIterator>
#include <QtCore/QProcess>
#include <QtCore/QRegularExpression>
#include <QtCore/QStandardPaths>
#include <QtTest/QtTest>

#include "engine/runtime/random.h"
#include "engine/values/text/text_safety.h"

using namespace std::string_literals;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// Text of unknown origin in JSON, on a terminal, in a shell and in a spreadsheet.
class TestTextSafety : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bytesThatAreNoUtf8AreReplaced_data();
  void bytesThatAreNoUtf8AreReplaced();
  void prefixesCutNoCharacter();
  void onlyACharacterThatCanBeCompletedIsHeldBack();
  void terminalTextHasNoControlCharacters();
  void textWithoutControlsStaysAsItIs();
  void nothingIsPrintedPastTheFunctionsThatEscape();
  void shellWordsComeBackFromAShell_data();
  void shellWordsComeBackFromAShell();
  void noShellRunsAWord();
  void shellWordsHaveNoControlCharacters();
  void pathsAreNoOptions();
  void formulasAreGuardedAndNumbersAreNot_data();
  void formulasAreGuardedAndNumbersAreNot();
};

namespace {

/// Some bytes of text, many of them special somewhere.
std::string randomText(std::uint64_t number) {
  static constexpr std::string_view kPieces[] = {
      "a",      "Z", "'", "\\",   "\"",   " ",    "$HOME", "`", "\x1b[31m", "\n",   "\r",
      "\x7f",   "é", "λ", "\x80", "\xff", "\xc2", "😀",     "!", "\xe2\x80", "\x9b", "\xc2\x9b",
      "\u202e", "~", "*", "=",    "-",    ",",    "#",     "&", ";"};
  KeyedRandom random({11, number});
  std::string text;
  for (std::uint32_t i = random.below(12); i > 0; --i) text += kPieces[random.below(31)];
  return text;
}

bool hasControl(const std::string& text) {
  const QString shown = QString::fromStdString(text);
  return std::any_of(shown.begin(), shown.end(), [](QChar c) {
    return isControl(c.unicode()) || c == QChar::ReplacementCharacter;
  });
}

}  // namespace

void TestTextSafety::bytesThatAreNoUtf8AreReplaced_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("valid");
  const auto row = [](const char* fact, const char* bytes, const char* valid) {
    QTest::newRow(fact) << QByteArray(bytes) << QByteArray(valid);
  };
  row("ASCII", "abc", "abc");
  row("two to four bytes", "é€😀", "é€😀");
  row("lone continuation", "a\x80z", "a�z");
  row("cut sequence", "a\xe2\x82", "a��");
  row("cut by another character", "\xe2\x82z", "��z");
  row("overlong", "\xc0\xaf", "��");
  row("surrogate", "\xed\xa0\x80", "���");
  row("above Unicode", "\xf4\x90\x80\x80", "����");
}

void TestTextSafety::bytesThatAreNoUtf8AreReplaced() {
  QFETCH(const QByteArray, bytes);
  QFETCH(const QByteArray, valid);
  QCOMPARE(QByteArray::fromStdString(withValidUtf8(bytes.toStdString())), valid);
  const std::string text = bytes.toStdString();
  QCOMPARE(isUtf8(text), bytes == valid);
  const QByteArray beginning = QByteArray::fromStdString(std::string(utf8Beginning(text)));
  QVERIFY(bytes.startsWith(beginning));
  QVERIFY(valid.startsWith(bytes == valid ? beginning : beginning + "\xEF\xBF\xBD"));
}

void TestTextSafety::prefixesCutNoCharacter() {
  const std::string text = "aé€😀";
  const std::string_view expected[] = {
      "", "a", "a", "aé", "aé", "aé", "aé€", "aé€", "aé€", "aé€", text, text};
  for (std::size_t bytes = 0; bytes < std::size(expected); ++bytes) {
    QCOMPARE(std::string(utf8Prefix(text, bytes)), std::string(expected[bytes]));
  }
}

void TestTextSafety::onlyACharacterThatCanBeCompletedIsHeldBack() {
  for (const std::string character : {"a", "é", "€", "😀", "\u0800", "\ud7ff", "\U0010ffff"}) {
    for (std::size_t bytes = 0; bytes < character.size(); ++bytes) {
      QVERIFY(withoutCutCharacter("zé" + character.substr(0, bytes)) == "zé");
    }
    QVERIFY(withoutCutCharacter("zé" + character) == "zé" + character);
  }
  for (const std::string bytes : {"\x80",
                                  "\xff",
                                  "\xc1",
                                  "\xe0\x80",
                                  "\xed\xa0",
                                  "\xf4\x90",
                                  "\xe2z",
                                  "\xe2\x82z",
                                  "😀\x80"}) {
    QVERIFY(withoutCutCharacter(bytes) == bytes);
  }
  QVERIFY(withoutCutCharacter("\xe2\xe2\x82") == "\xe2");
  QVERIFY(withoutCutCharacter("") == "");
}

void TestTextSafety::terminalTextHasNoControlCharacters() {
  QCOMPARE(terminalText("a\x1b[2J\r\n\t\x7f"), "a\\x1b[2J\\r\\n\\t\\x7f"s);
  QCOMPARE(terminalText("\xc2\x9b"
                        "31m \u202e\u200f\u2028\u2066"),
           "\\u009b31m \\u202e\\u200f\\u2028\\u2066"s);
  QCOMPARE(terminalText("\xff\xc3"), "\\xff\\xc3"s);
  QCOMPARE(terminalText("one\ntwo\x1b", LineBreaks::kept), "one\ntwo\\x1b"s);
  QCOMPARE(terminalText("zero\0byte"s), "zero\\x00byte"s);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const std::string shown = terminalText(randomText(i));
    QVERIFY2(!hasControl(shown), shown.c_str());
  }
}

void TestTextSafety::textWithoutControlsStaysAsItIs() {
  const std::string text = "λ = QᵀK, 90 % — \"größer\" 😀 中文";
  QCOMPARE(terminalText(text), text);
}

void TestTextSafety::nothingIsPrintedPastTheFunctionsThatEscape() {
  const QRegularExpression print(
      u"std::(cout|cerr|clog)\\s*<<|\\b(fputs|fprintf|printf|puts|putchar|fwrite|perror)\\("_s);
  int count = 0;
  QDirIterator files(QStringLiteral(LAMBDA_SOURCE "/app/command_line"),
                     {u"*.cpp"_s},
                     QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    QVERIFY(file.open(QIODevice::ReadOnly));
    ++count;
    if (file.fileName().endsWith(u"/report.cpp"_s)) continue;
    const auto found = print.match(QString::fromUtf8(file.readAll()));
    QVERIFY2(!found.hasMatch(), qPrintable(file.fileName() + u": "_s + found.captured()));
  }
  QVERIFY(count > 30);
}

void TestTextSafety::shellWordsComeBackFromAShell_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"bash", "zsh", "dash"}) QTest::newRow(name) << QString::fromLatin1(name);
}

void TestTextSafety::shellWordsComeBackFromAShell() {
  QFETCH(const QString, name);
  if (QStandardPaths::findExecutable(name).isEmpty()) QSKIP("the shell is not installed");
  std::vector<std::string> texts{"=ls", "=", "a=b", "'; touch ran; '\x1b", "%s%n\x1b", "!1\x1b"};
  for (std::uint64_t i = 0; i < 500; ++i) texts.push_back(randomText(i));
  // dash has no word for a line break at the end; what stands before it must not be a command.
  if (name == u"dash"_s) {
    std::erase_if(texts, [](const std::string& text) { return text.ends_with('\n'); });
  }
  std::string script, expected;
  for (const std::string& text : texts) {
    script += "printf '%s\\0' " + shellWord(text) + "\n";
    expected += text + '\0';
  }
  QProcess shell;
  shell.start(name, {});
  QVERIFY(shell.waitForStarted());
  shell.write(QByteArray::fromStdString(script));
  shell.closeWriteChannel();
  QVERIFY(shell.waitForFinished());
  QCOMPARE(shell.readAllStandardError(), QByteArray());
  QCOMPARE(shell.readAllStandardOutput(), QByteArray::fromStdString(expected));
}

void TestTextSafety::noShellRunsAWord() {
  for (const QString& name : {u"bash"_s, u"zsh"_s, u"dash"_s}) {
    if (QStandardPaths::findExecutable(name).isEmpty()) continue;
    for (const std::string text : {"\n'; echo ran; '\n", "'; echo ran #\n", "$(echo ran)\n"}) {
      QProcess shell;
      shell.start(name, {u"-c"_s, QString::fromStdString("true " + shellWord(text))});
      QVERIFY(shell.waitForFinished());
      QCOMPARE(shell.readAllStandardOutput(), QByteArray());
      QCOMPARE(shell.readAllStandardError(), QByteArray());
    }
  }
}

void TestTextSafety::shellWordsHaveNoControlCharacters() {
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const std::string word = shellWord(randomText(i));
    QVERIFY2(!hasControl(word), word.c_str());
  }
  QCOMPARE(shellWord("runs/2026-11-20_22-48-00_quickstart"),
           "runs/2026-11-20_22-48-00_quickstart"s);
  QCOMPARE(shellWord(""), "''"s);
}

void TestTextSafety::pathsAreNoOptions() {
  QCOMPARE(shellPath("--json"), "./--json"s);
  QCOMPARE(shellPath("my runs/a"), "'my runs/a'"s);
}

void TestTextSafety::formulasAreGuardedAndNumbersAreNot_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("cell");
  const auto row = [](const char* text, const char* cell) {
    QTest::newRow(text) << QByteArray(text) << QByteArray(cell);
  };
  row("plain", "plain");
  row("", "");
  row("-0.5", "-0.5");
  row("-1e-05", "-1e-05");
  row("+3", "+3");
  row("-inf", "-inf");
  row("-Infinity", "-Infinity");
  row("=1+1", "'=1+1");
  row("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  row("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0");
  row("+-1", "'+-1");
  row("-2+3", "'-2+3");
  row("- a list", "'- a list");
  row("@SUM(A1)", "'@SUM(A1)");
  row("\t=1", "'\t=1");
  row("\r=1", "\"'\r=1\"");
  row("a,b", "\"a,b\"");
}

void TestTextSafety::formulasAreGuardedAndNumbersAreNot() {
  QFETCH(const QByteArray, text);
  QFETCH(const QByteArray, cell);
  QCOMPARE(QByteArray::fromStdString(csvCell(text.toStdString())), cell);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestTextSafety)
#include "tst_text_safety.moc"
