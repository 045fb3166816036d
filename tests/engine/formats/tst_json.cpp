#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

using namespace std::string_literals;

namespace lambda {

namespace {

/// The message with which a text is refused; empty if it is accepted.
std::string refusalOf(const std::string& text, const JsonLimits& limits = {}) {
  try {
    parseJson(text, "some.json", limits);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

class TestJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refusesHostileText_data();
  void refusesHostileText();
  void refusesMoreThanTheCaps();
  void acceptsWhatIsJson();
  void numbersReadBackToTheSameBits();
  void writesShortContainersOnOneLine();
  void refusesToWriteWhatIsNotUtf8();
  void reportsAreJsonWhateverTheyHold();
  void noTerminalObeysWhatIsWritten();
};

void TestJson::refusesHostileText_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* name, const std::string& text, const char* expected) {
    QTest::newRow(name) << QByteArray(text.data(), static_cast<qsizetype>(text.size()))
                        << QByteArray(expected);
  };
  row("empty", "", "some.json: line 1, column 1: ");
  row("cut", "{\"a\": [1,", "line 1, column 9: ");
  row("second line", "{\n  \"a\": nul\n}", "line 2, column ");
  row("trailing bytes", "{} {}", "line 1, column 4: ");
  row("zero byte", "{}\0{}"s, "line 1, column 3: a zero byte");
  row("key named twice",
      "{\"a\": [{\"b\": 1,\n\"b\": 2}]}",
      "line 2, column 3: the key \"b\" is there twice in a[0]");
  row("NaN", "{\"a\": NaN}", "line 1, column ");
  row("infinity", "[1e999]", "number overflow");
  row("bad UTF-8", "[\"\xC3(\"]", "ill-formed UTF-8");
  row("overlong UTF-8", "[\"\xC0\xAF\"]", "ill-formed UTF-8");
  row("lone surrogate", "[\"\\ud800\"]", "surrogate");
  row("comment", "{} // no", "line 1, column ");
  row("single quotes", "{'a': 1}", "line 1, column 2: ");
}

void TestJson::refusesHostileText() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, expected);
  const std::string refusal = refusalOf(text.toStdString());
  QVERIFY2(refusal.find(expected.toStdString()) != std::string::npos, refusal.c_str());
  for (const char c : refusal) QVERIFY2(c >= ' ' && c <= '~', refusal.c_str());
}

void TestJson::refusesMoreThanTheCaps() {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  QVERIFY(refusalOf(nested(16)).empty());
  QVERIFY(refusalOf(nested(17)).find("column 17: ") != std::string::npos);
  QVERIFY(!refusalOf(std::string(1 << 20, '[')).empty());
  QVERIFY(refusalOf("[1,2,3]", {7, 16}).empty());
  QVERIFY(!refusalOf("[1,2,3]", {6, 16}).empty());
}

void TestJson::acceptsWhatIsJson() {
  const auto json = parseJson(
      "\xEF\xBB\xBF {\"a\": [1, -2, 18446744073709551615, 0.5, null, true]}", "some.json");
  QCOMPARE(json["a"][2].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  QCOMPARE(json["a"][1].get<std::int64_t>(), std::int64_t{-2});
  QCOMPARE(json["a"][3].get<double>(), 0.5);
}

void TestJson::numbersReadBackToTheSameBits() {
  KeyedRandom random{7};
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random.bits();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const double back = parseJson(formatNumber(value), "number").get<double>();
    QVERIFY2(back == value, formatNumber(value).c_str());
  }
  QCOMPARE(formatNumber(0.0005), "0.0005"s);
  QCOMPARE(formatNumber(100000), "100000"s);
  QCOMPARE(formatNumber(1e-8), "1e-08"s);
  QCOMPARE(formatNumber(0.1), "0.1"s);
}

void TestJson::writesShortContainersOnOneLine() {
  nlohmann::ordered_json document;
  document["z"] = {1, 2.5, "x"};
  document["a"]["list"] = nlohmann::ordered_json::array();
  for (int i = 0; i < 3; ++i) document["a"]["list"].push_back(std::string(40, 'x'));
  const std::string x = "\"" + std::string(40, 'x') + "\"";
  QCOMPARE(formatJson(document),
           "{\n  \"z\": [1, 2.5, \"x\"],\n  \"a\": {\n    \"list\": [\n      " + x + ",\n      " +
               x + ",\n      " + x + "\n    ]\n  }\n}\n");
}

void TestJson::refusesToWriteWhatIsNotUtf8() {
  nlohmann::ordered_json document;
  document["name"] = "\xFF";
  QVERIFY_THROWS_EXCEPTION(Error, formatJson(document));
}

void TestJson::reportsAreJsonWhateverTheyHold() {
  nlohmann::ordered_json document;
  document["not \xFF UTF-8"] = "\xC3 cut \xE2\x82";
  document["nan"] = std::numeric_limits<double>::quiet_NaN();
  document["list"] = {std::numeric_limits<double>::infinity(), -0.5};
  const std::string text = formatJson(document, ForeignText::replaced);
  QVERIFY2(nlohmann::json::accept(text), text.c_str());
  const nlohmann::json back = nlohmann::json::parse(text);
  QVERIFY(back["nan"].is_null() && back["list"][0].is_null());
  QCOMPARE(back["list"][1].get<double>(), -0.5);
  QCOMPARE(back["not \uFFFD UTF-8"].get<std::string>(), "\uFFFD cut \uFFFD"s);
}

void TestJson::noTerminalObeysWhatIsWritten() {
  const std::string name = "a\x7f\u009b31m\u202e\x1b[2J é";
  nlohmann::ordered_json document;
  document["name"] = name;
  for (const ForeignText foreign : {ForeignText::refused, ForeignText::replaced}) {
    const std::string text = formatJson(document, foreign);
    QCOMPARE(terminalText(text, LineBreaks::kept), text);
    QCOMPARE(nlohmann::json::parse(text)["name"].get<std::string>(), name);
  }
  document["name"] = "größer";
  QVERIFY(formatJson(document).find("größer") != std::string::npos);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestJson)
#include "tst_json.moc"
