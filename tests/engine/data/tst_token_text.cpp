#include <memory>
#include <string>
#include <vector>

#include <QTest>

#include "engine/data/sequences/token_text.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

using namespace lambda;
using namespace std::string_literals;

namespace {

const TokenText kBytes(TextSource(), 256);
const TokenText kNumbers(RecallSource(), 64);

using Tokens = std::vector<std::int64_t>;

/// What is shown after each token, and at the end.
std::vector<std::string> written(const TokenText& text, const Tokens& tokens) {
  TokenWriter writer(text);
  std::vector<std::string> parts;
  for (const std::int64_t token : tokens) parts.push_back(writer.add(token));
  parts.push_back(writer.finish());
  return parts;
}

using Parts = std::vector<std::string>;

std::string refusal(const std::string& prompt) {
  try {
    kNumbers.tokensOf(prompt);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

class TestTokenText : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void tokensAreBytesUnlessTheyAreDrawnOrOtherwiseMany() {
    QVERIFY(kBytes.isOfBytes() && kBytes.start() == '\n');
    // Weights of another program do not say what they were trained on.
    QVERIFY(TokenText(Shapes10Source(), 256).isOfBytes());
    for (const TokenText& text : {TokenText(RecallSource{.vocabulary = 256}, 256),
                                  TokenText(CopySource{.vocabulary = 256}, 256),
                                  TokenText(TextSource(), 50277),
                                  kNumbers}) {
      QVERIFY(!text.isOfBytes() && text.start() == 0);
    }
  }

  void onlyTokensOfATextLackATokenizer() {
    QVERIFY(TokenText(TextSource(), 50277).lacksTokenizer());
    QVERIFY(TokenText(Shapes10Source(), 50277).lacksTokenizer());
    QVERIFY(!kBytes.lacksTokenizer() && !kBytes.hasNumbers());
    QVERIFY(!kNumbers.lacksTokenizer() && kNumbers.hasNumbers());
    QVERIFY(!TokenText(CopySource(), 50277).lacksTokenizer());
    try {
      TokenText(TextSource(), 50277).tokensOf("Hello");
      QFAIL("a word was taken for a number");
    } catch (const Error& error) {
      QVERIFY2(error.hint().find("tokenizer") != std::string::npos, error.what());
    }
  }

  void aTokenizerReadsAndWritesText() {
    const auto tokenizer = std::make_shared<const Tokenizer>(
        Tokenizer::read(LAMBDA_TEST_DATA "/tokenizer/small.json"));
    const TokenText text(TextSource(), 500, tokenizer);
    QVERIFY(!text.hasNumbers() && !text.isOfBytes() && !text.lacksTokenizer());
    QCOMPARE(text.start(), 0);
    QVERIFY((text.tokensOf("the 日本") == Tokens{386, 400}));
    // A character is shown when its last byte is there.
    QVERIFY((written(text, {386, 222, 396, 399}) == Parts{"the", " ", "", "日本", ""}));
    QVERIFY((written(text, {396, 386, 499}) == Parts{"", "��the", "�", ""}));
  }

  void aPromptOfBytesIsTakenAsItIs() {
    QVERIFY((kBytes.tokensOf("a \n\xff\0"s) == Tokens{'a', ' ', '\n', 255, 0}));
    QVERIFY((kBytes.tokensOf("é") == Tokens{0xc3, 0xa9}));
    QVERIFY(kBytes.tokensOf("").empty());
  }

  void aPromptOfNumbersHasSpacesBetween() {
    QVERIFY((kNumbers.tokensOf("3 63\t0\r\n  17 ") == Tokens{3, 63, 0, 17}));
    QVERIFY(kNumbers.tokensOf("").empty());
    QVERIFY(kNumbers.tokensOf(" \n").empty());
    for (const char* prompt : {"64", "1 -1", "one", "1,2", "3 4x", "1.0", "99999999999999999999"}) {
      const std::string text = refusal(prompt);
      QVERIFY2(text.find("numbers from 0 to 63") != std::string::npos, prompt);
    }
    QVERIFY(refusal(std::string(100000, 'x')).size() < 200);
  }

  void aCharacterIsShownWhenItIsComplete() {
    QVERIFY((written(kBytes, kBytes.tokensOf("aé€😀\n")) ==
             Parts{"a", "", "é", "", "", "€", "", "", "", "😀", "\n", ""}));
  }

  void bytesThatAreNoCharacterAreReplaced() {
    QVERIFY((written(kBytes, {0xff, 'a', 0x80}) == Parts{"�", "a", "�", ""}));
    // The next byte shows that the held ones are none.
    QVERIFY((written(kBytes, {0xe2, 0x82, 'z'}) == Parts{"", "", "��z", ""}));
    QVERIFY((written(kBytes, {0xe2, 0xc3, 0xa9}) == Parts{"", "�", "é", ""}));
    // So does the end.
    QVERIFY((written(kBytes, {'a', 0xe2, 0x82}) == Parts{"a", "", "", "��"}));
  }

  void allThatIsShownIsTheTextInUtf8() {
    Tokens tokens;
    std::string bytes;
    for (int i = 0; i < 5000; ++i) {
      tokens.push_back((i * 167 + i / 7 * 59) % 256);
      bytes += static_cast<char>(tokens.back());
    }
    std::string shown;
    for (const std::string& part : written(kBytes, tokens)) {
      QVERIFY(isUtf8(part));
      shown += part;
    }
    QVERIFY(shown == withValidUtf8(bytes));
  }

  void numbersHaveSpacesBetween() {
    QVERIFY((written(kNumbers, {3, 0, 63}) == Parts{"3", " 0", " 63", ""}));
    QVERIFY((written(kNumbers, {}) == Parts{""}));
  }
};

QTEST_GUILESS_MAIN(TestTokenText)
#include "tst_token_text.moc"
