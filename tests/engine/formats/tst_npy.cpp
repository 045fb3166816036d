#include <cstring>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensors/npy.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape, std::size_t count) {
  const std::string file = encodeNpy(std::vector<float>(count), shape);
  const std::size_t begin = file.find('(');
  return file.substr(begin, file.find(')') - begin + 1);
}

}  // namespace

class TestNpy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fileIsNumPysOwn();
  void shapesAreWrittenAsPythonTuples();
  void valuesMustFillTheShape();
};

void TestNpy::fileIsNumPysOwn() {
  const TemporaryFolder folder;
  const float values[] = {1, 2, 3, 4, 5, -6};
  const std::int64_t shape[] = {2, 3};
  writeNpy(folder.path() / "a.npy", values, shape);
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  expected.append(reinterpret_cast<const char*>(values), sizeof values);
  QCOMPARE(readFile(folder.path() / "a.npy", 1000), expected);
}

void TestNpy::shapesAreWrittenAsPythonTuples() {
  QCOMPARE(shapeText({}, 1), std::string("()"));
  QCOMPARE(shapeText({3}, 3), std::string("(3,)"));
  QCOMPARE(shapeText({1, 2, 3, 4}, 24), std::string("(1, 2, 3, 4)"));
  QCOMPARE(shapeText({0, 5}, 0), std::string("(0, 5)"));
}

void TestNpy::valuesMustFillTheShape() {
  const std::vector<float> values(6);
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{5}, {-2, -3}, {}, {1LL << 40, 1LL << 40}}) {
    QVERIFY(errorOf([&] { encodeNpy(values, shape); }));
  }
}

QTEST_GUILESS_MAIN(TestNpy)
#include "tst_npy.moc"
