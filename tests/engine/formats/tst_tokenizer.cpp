#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tokenizer/byte_pairs.h"
#include "engine/formats/tokenizer/pre_tokens.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Json = nlohmann::ordered_json;
using Parts = std::vector<std::string_view>;
using Tokens = std::vector<std::int64_t>;
using Change = std::function<void(Json&)>;

const fs::path kSmall = LAMBDA_TEST_DATA "/tokenizer/small.json";

Json smallDocument() {
  return Json::parse(readFile(kSmall, 1 << 20));
}

std::string refusalOf(const std::string& text) {
  try {
    Tokenizer::fromJson(text, "tokenizer.json");
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::string textOf(const Tokenizer& tokenizer, const Tokens& tokens) {
  std::string text;
  for (const std::int64_t token : tokens) text += *tokenizer.bytesOf(token);
  return text;
}

std::string utf8(char32_t character) {
  return QString::fromUcs4(&character, 1).toStdString();
}

/// Texts of spaces, letters, numbers, marks and others, of which many are cut or joined.
std::vector<std::string> drawnTexts() {
  const std::vector<std::string> parts{" ",
                                       "  ",
                                       "   ",
                                       "\n",
                                       "\t",
                                       "\r\n",
                                       utf8(0xa0),
                                       "\xe3\x80\x80",
                                       utf8(0x2028),
                                       utf8(0x85),
                                       "'s",
                                       "'ll",
                                       "'re",
                                       "'S",
                                       "\u2019s",
                                       "a",
                                       "The",
                                       "lambda",
                                       "é",
                                       "e\u0301",
                                       "ß",
                                       "Ω",
                                       "日本",
                                       "あ",
                                       "한",
                                       "\u1112\u1161\u11ab",
                                       "²",
                                       "Ⅷ",
                                       "½",
                                       "12",
                                       "😀",
                                       "\u0301",
                                       "\u200d",
                                       "...",
                                       "!?",
                                       "_",
                                       "<|endoftext|>",
                                       "<|padding|>",
                                       "<|endof",
                                       "\u212b",
                                       "\ufb01",
                                       "\x1f",
                                       "\x0b",
                                       "\x7f",
                                       "\ue000",
                                       utf8(0x10ffff)};
  std::mt19937 random(3);
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t count = random() % 14; count > 0; --count) {
      const auto any = static_cast<char32_t>(random() % 0xd800 + 1);
      text += random() % 8 == 0 ? utf8(any) : parts[random() % parts.size()];
    }
    texts.push_back(std::move(text));
  }
  texts.push_back(std::string(20000, 'a'));
  texts.push_back(std::string(5000, ' ') + "x");
  texts.push_back(readFile(LAMBDA_RESOURCES "/docs/sequences.md", 1 << 20));
  return texts;
}

}  // namespace

class TestTokenizer : public QObject {
  Q_OBJECT

 private:
  TestPython python_;

  /// Describes the first text of which the library makes other tokens; empty if there is none.
  std::string differenceFromLibrary(const fs::path& file) const {
    const TemporaryFolder folder;
    const std::vector<std::string> texts = drawnTexts();
    writeFileDurably(folder.path() / "texts.json", Json(texts).dump());
    const PythonOutcome outcome =
        python_.run("tokens_of_texts.py", {file, folder.path() / "texts.json"});
    if (outcome.status != 0) return outcome.errors.toStdString();
    const auto expected = Json::parse(outcome.output.toStdString());
    const Tokenizer tokenizer = Tokenizer::read(file);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Tokens found = tokenizer.tokensOf(texts[i]);
      if (found != expected[i].get<Tokens>()) {
        return Json(texts[i]).dump() + ": " + Json(found).dump() + ", expected " +
               expected[i].dump();
      }
    }
    return {};
  }

 private Q_SLOTS:

  void aTextIsCutIntoWords() {
    QVERIFY(preTokensOf("").empty());
    QVERIFY((preTokensOf("Hello, world 12th") == Parts{"Hello", ",", " world", " 12", "th"}));
    QVERIFY((preTokensOf("it's we'll 'system' x'D") ==
             Parts{"it", "'s", " we", "'ll", " '", "system", "'", " x", "'", "D"}));
    QVERIFY((preTokensOf("a?!'s") == Parts{"a", "?!'", "s"}));
    QVERIFY((preTokensOf("ä²Ⅷ日本…\u0301") == Parts{"ä", "²Ⅷ", "日本", "…\u0301"}));
  }

  void theLastSpaceBelongsToTheWord() {
    QVERIFY((preTokensOf("a   b") == Parts{"a", "  ", " b"}));
    QVERIFY((preTokensOf("a  \nb") == Parts{"a", "  ", "\n", "b"}));
    QVERIFY((preTokensOf("a \n") == Parts{"a", " \n"}));
    QVERIFY((preTokensOf("  ") == Parts{"  "}));
    QVERIFY((preTokensOf(" \u00a0.") == Parts{" ", "\u00a0", "."}));
    QVERIFY((preTokensOf("\u0085\u3000 x") == Parts{"\u0085\u3000", " x"}));
  }

  void charactersAreComposed() {
    QCOMPARE(normalFormC("e\u0301 \u1112\u1161\u11ab \u212b \ufb01"),
             std::string("é 한 \u00c5 \ufb01"));
    QCOMPARE(normalFormC(std::string_view("a\0e\u0301", 5)), std::string("a\0é", 4));
  }

  void earlierRulesAreAppliedFirst() {
    BytePairs pairs;
    QVERIFY(pairs.add(2, 3, 10));
    QVERIFY(pairs.add(1, 2, 11));
    QVERIFY(pairs.add(10, 10, 12));
    QVERIFY(pairs.add(4, 4, 13));
    QVERIFY(!pairs.add(1, 2, 14));
    using Joined = std::vector<std::int32_t>;
    QVERIFY(pairs.join({}).empty());
    QVERIFY((pairs.join({7}) == Joined{7}));
    QVERIFY((pairs.join({1, 2, 3}) == Joined{1, 10}));
    QVERIFY((pairs.join({1, 2, 2, 3, 2, 3}) == Joined{11, 12}));
    // Of equal pairs the first is joined, and a joined token is not joined again.
    QVERIFY((pairs.join({4, 4, 4}) == Joined{13, 4}));
    QVERIFY((pairs.join({4, 4, 4, 4, 4}) == Joined{13, 13, 4}));
  }

  /// The rules of small.json join "h e", "t he", "Ġ the".
  void aTextBecomesTokensAndATextAgain() {
    const Tokenizer tokenizer = Tokenizer::read(kSmall);
    QCOMPARE(tokenizer.size(), 425);
    QVERIFY(
        (tokenizer.tokensOf("Hello  world, it's 12 Käse") ==
         Tokens{
             41, 319, 392, 424, 88, 275, 77, 69, 13, 300, 8, 84, 335, 19, 222, 44, 129, 99, 326}));
    QVERIFY((tokenizer.tokensOf("the lambda layer<|endoftext|>\n\n  x") ==
             Tokens{386, 222, 307, 416, 265, 0, 200, 200, 424, 89}));
    QVERIFY(tokenizer.tokensOf("").empty());
    QCOMPARE(*tokenizer.bytesOf(424), std::string("  "));
    QVERIFY(tokenizer.bytesOf(-1) == nullptr && tokenizer.bytesOf(425) == nullptr);
    for (const std::string& text : drawnTexts()) {
      QCOMPARE(textOf(tokenizer, tokenizer.tokensOf(text)), normalFormC(text));
    }
  }

  void aNetworkNeedsAllOfItsTokens() {
    QCOMPARE(Tokenizer::readFor(425, kSmall).size(), 425);
    QVERIFY_THROWS_EXCEPTION(Error, Tokenizer::readFor(424, kSmall));
  }

  void theLongestAddedTokenIsTaken() {
    const Tokenizer tokenizer = Tokenizer::read(kSmall);
    QVERIFY((tokenizer.tokensOf(std::string(6, ' ')) == Tokens{420}));
    QVERIFY((tokenizer.tokensOf(std::string(10, ' ')) == Tokens{420, 422}));
    // An added token ends the text before it, so that the space before it is alone.
    QVERIFY((tokenizer.tokensOf(" <|padding|>") == Tokens{222, 1}));
  }

  void addedTokensAreFoundInTheNormalisedText() {
    Json document = smallDocument();
    for (const auto& [content, normalized] :
         {std::pair{"\u212b", true}, std::pair{"q\u0301", false}}) {
      document["added_tokens"].push_back(
          {{"id", 430 + (normalized ? 0 : 1)}, {"content", content}, {"normalized", normalized}});
    }
    const Tokenizer tokenizer = Tokenizer::fromJson(document.dump(), "tokenizer.json");
    QVERIFY((tokenizer.tokensOf("A\u030a\u00c5\u212b") == Tokens{430, 430, 430}));
    QVERIFY((tokenizer.tokensOf("q\u0301") == Tokens{431}));
    QVERIFY(tokenizer.bytesOf(429) == nullptr);
    QCOMPARE(*tokenizer.bytesOf(430), std::string("\u212b"));
  }

  /// Whether or not there is a normaliser, those of the text as it is are found first.
  void addedTokensOfTheNormalisedTextComeSecond() {
    Json document = smallDocument();
    document["added_tokens"].push_back({{"id", 430}, {"content", "q<|"}, {"normalized", true}});
    for (const Json& normalizer : {document["normalizer"], Json()}) {
      document["normalizer"] = normalizer;
      const Tokenizer tokenizer = Tokenizer::fromJson(document.dump(), "tokenizer.json");
      QVERIFY((tokenizer.tokensOf("q<|zz") == Tokens{430, 91, 91}));
      QVERIFY((tokenizer.tokensOf("q<|padding|>") == Tokens{82, 1}));
    }
  }

  void rulesMayBeListsOfTwo() {
    Json document = smallDocument();
    for (Json& rule : document["model"]["merges"]) {
      const auto text = rule.get<std::string>();
      const std::size_t space = text.find(' ');
      rule = Json::array({text.substr(0, space), text.substr(space + 1)});
    }
    const Tokenizer tokenizer = Tokenizer::fromJson(document.dump(), "tokenizer.json");
    QVERIFY((tokenizer.tokensOf("the lambda") == Tokens{386, 222, 307}));
  }

  void whatCannotBeATokenIsRefused() {
    Json document = smallDocument();
    document["model"]["merges"].clear();
    document["model"]["vocab"].erase("q");
    const Tokenizer tokenizer = Tokenizer::fromJson(document.dump(), "tokenizer.json");
    for (const auto& [text, reason] :
         {std::pair{std::string("ab\xff"), "is not UTF-8 from byte 2 on"},
          std::pair{std::string("ab q"), "no token for the byte 113"}}) {
      try {
        tokenizer.tokensOf(text);
        QFAIL(reason);
      } catch (const Error& error) {
        QVERIFY2(error.reason().find(reason) != std::string::npos, error.what());
      }
    }
  }

  void otherDocumentsAreRefused_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, const Change& change, const std::string& reason) {
      QTest::newRow(name) << change << reason;
    };
    const auto set = [](const char* pointer, const Json& value) -> Change {
      return [=](Json& document) { document[Json::json_pointer(pointer)] = value; };
    };
    row(
        "no object", [](Json& document) { document = Json::array(); }, "model is not of the type");
    row("other model", set("/model/type", "Unigram"), "model is not of the type BPE");
    row("other words", set("/pre_tokenizer/type", "Whitespace"), "pre_tokenizer is not of");
    row("several", set("/pre_tokenizer", Json::array()), "pre_tokenizer is not of");
    row("other decoder", set("/decoder", nullptr), "decoder is not of");
    row("other normaliser", set("/normalizer/type", "NFKC"), "normalizer is not of the type NFC");
    row("begin of text",
        set("/post_processor/type", "TemplateProcessing"),
        "post_processor is not");
    row("prefix", set("/pre_tokenizer/add_prefix_space", true), "add_prefix_space is not false");
    row(
        "prefix left out",
        [](Json& document) { document["pre_tokenizer"].erase("add_prefix_space"); },
        "add_prefix_space is not false");
    row("whole text", set("/pre_tokenizer/use_regex", false), "pre_tokenizer.use_regex is set");
    row("dropout", set("/model/dropout", 0.1), "model.dropout is set");
    row("suffix", set("/model/end_of_word_suffix", "</w>"), "model.end_of_word_suffix is set");
    row("without rules", set("/model/ignore_merges", true), "model.ignore_merges is set");
    row("no tokens", set("/model/vocab", Json::object()), "model.vocab has no tokens");
    row("list of tokens", set("/model/vocab", Json::array({"a"})), "model.vocab has no tokens");
    row("space in a token", set("/model/vocab/a b", 500), "\"a b\" is not written in characters");
    row("other character", set("/model/vocab/日", 500), "\"日\" is not written in characters");
    row("high character", set("/model/vocab/ń", 500), "\"ń\" is not written in characters");
    row("no character", set("/model/vocab/", 500), "\"\" is not written in characters");
    row("negative", set("/model/vocab/a", -1), "\"a\" has no number from 0 to");
    row("huge", set("/model/vocab/a", 1e15), "\"a\" has no number from 0 to");
    row("large", set("/model/vocab/a", 2097152), "\"a\" has no number from 0 to");
    row("fraction", set("/model/vocab/a", 1.5), "\"a\" has no number from 0 to");
    row("twice", set("/model/vocab/zzz", 5), "has the number 5, which another one has too");
    row("no rules", set("/model/merges", nullptr), "model.merges is no list");
    row("rule of one", set("/model/merges/3", "a"), "model.merges[3] is not a pair");
    row("rule of three", set("/model/merges/3", "a b c"), "model.merges[3] is not a pair");
    row("rule of numbers", set("/model/merges/3", Json::array({1, 2})), "model.merges[3] is not a");
    row("unknown part",
        set("/model/merges/3", "zzz a"),
        "model.merges[3] has \"zzz\", which is no");
    row("unknown result", set("/model/merges/3", "Q Q"), "model.merges[3] has \"QQ\", which is no");
    row(
        "rule twice",
        [](Json& document) { document["model"]["merges"][3] = document["model"]["merges"][2]; },
        "model.merges[3] is there twice");
    row("added: no list", set("/added_tokens", 1), "added_tokens is no list");
    row("added: no object", set("/added_tokens/2", 1), "added_tokens[2] has no content");
    row("added: empty", set("/added_tokens/2/content", ""), "added_tokens[2] has a content that");
    row("added: long",
        set("/added_tokens/2/content", std::string(257, 'a')),
        "added_tokens[2] has a content that");
    row("added: no number", set("/added_tokens/2/id", "a"), "added_tokens[2].id has no number");
    row("added: of another", set("/added_tokens/2/id", 7), "has the number 7, which another");
    row("added: single",
        set("/added_tokens/2/single_word", true),
        "added_tokens[2].single_word is");
    row("added: strips", set("/added_tokens/2/lstrip", true), "added_tokens[2].lstrip is set");
  }

  void otherDocumentsAreRefused() {
    QFETCH(Change, change);
    QFETCH(std::string, reason);
    Json document = smallDocument();
    QCOMPARE(refusalOf(document.dump()), std::string());
    change(document);
    const std::string text = refusalOf(document.dump());
    QVERIFY2(text.find(reason) != std::string::npos, text.c_str());
  }

  void damageIsRefused() {
    const std::string text = readFile(kSmall, 1 << 20);
    QVERIFY(refusalOf("").find("line 1, column 1") != std::string::npos);
    for (std::size_t size = 0; size < text.size() - 2; size += 97) {
      QVERIFY(!refusalOf(text.substr(0, size)).empty());
    }
  }

  void tokensAreThoseOfTheLibrary_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("small") << QString::fromStdString(kSmall.string());
    const QString published = qEnvironmentVariable("LAMBDA_RWKV") + u"/20B_tokenizer.json"_s;
    QTest::newRow("published") << published;
  }

  void tokensAreThoseOfTheLibrary() {
    QFETCH(QString, file);
    if (!QFile::exists(file)) QSKIP("LAMBDA_RWKV has no 20B_tokenizer.json");
    const QString missing = python_.missing({u"tokenizers"_s});
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    QCOMPARE(differenceFromLibrary(file.toStdString()), std::string());
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTokenizer)
#include "tst_tokenizer.moc"
