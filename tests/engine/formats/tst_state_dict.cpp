#include <cstring>
#include <map>

#include <QTest>

#include "engine/formats/archives/zip_writer.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/pytorch/state_dict.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

const std::filesystem::path kFiles = LAMBDA_TEST_DATA "/pytorch";

StateDict parse(std::string_view bytes) {
  return parseStateDict(std::as_bytes(std::span(bytes.data(), bytes.size())), "test");
}

std::string sample(const std::string& name) {
  return readFile(kFiles / name, 1 << 20);
}

std::vector<float> floatsOf(const SafeTensors& file, std::string_view name) {
  const TensorView* tensor = file.find(name);
  if (tensor == nullptr || tensor->dtype != DType::F32) return {};
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

/// The error for an archive with this description and one storage of two floats.
std::string refusalOf(const std::string& pickle) {
  const auto bytes = std::as_bytes(std::span(pickle.data(), pickle.size()));
  std::map<std::string, std::vector<std::byte>> members;
  members["a/data.pkl"].assign(bytes.begin(), bytes.end());
  members["a/data/0"].resize(8);
  const auto error = errorOf([&] { stateDictOfMembers(members, 1 << 10, "file.pt"); });
  return error ? error->what() : "";
}

/// A state dictionary of one tensor "w" of the storage above, with the offset, sizes and strides
/// given as instructions.
std::string oneTensor(const std::string& offset,
                      const std::string& sizes,
                      const std::string& strides,
                      const std::string& elements = "K\x02") {
  using namespace std::string_literals;
  return "\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storage"s +
         "ctorch\nFloatStorage\nX\x01\x00\x00\x00"s + "0X\x03\x00\x00\x00"s + "cpu" + elements +
         "tQ" + offset + sizes + strides + "\x89)tRs."s;
}

}  // namespace

class TestStateDict : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void tensorsHaveNamesTypesShapesAndValues() {
    const SafeTensors file = readStateDict(kFiles / "state_dict.pt").file;
    std::vector<std::string> names;
    for (const TensorView& tensor : file.tensors) names.push_back(tensor.name);
    const std::vector<std::string> expected = {
        "stem.weight", "stem.strided", "half.transposed", "tail", "steps", "none", "parameter"};
    QCOMPARE(names, expected);
    std::vector<float> counting(24);
    for (int i = 0; i < 24; ++i) counting[static_cast<std::size_t>(i)] = static_cast<float>(i);
    QCOMPARE(floatsOf(file, "stem.weight"), counting);
    QCOMPARE(floatsOf(file, "stem.strided"), counting);
    QCOMPARE(floatsOf(file, "tail"), (std::vector<float>{4, 5}));
    const std::vector<std::int64_t> shape = {2, 3, 2, 2};
    QCOMPARE(file.find("stem.strided")->shape, shape);
    QCOMPARE(file.find("steps")->dtype, DType::I64);
    QVERIFY(file.find("steps")->shape.empty());
    QCOMPARE(std::to_integer<int>(file.find("steps")->bytes[0]), 7);
    QCOMPARE(file.find("none")->bytes.size(), std::size_t{0});
    QCOMPARE(file.find("parameter")->dtype, DType::F64);
  }

  void transposedTensorIsReordered() {
    const SafeTensors file = readStateDict(kFiles / "state_dict.pt").file;
    const TensorView& tensor = *file.find("half.transposed");
    QCOMPARE(tensor.dtype, DType::BF16);
    QCOMPARE(tensor.shape, (std::vector<std::int64_t>{3, 2}));
    // The upper halves of the floats 0, 3, 1, 4, 2, 5.
    const std::vector<unsigned> expected = {0, 0x4040, 0x3f80, 0x4080, 0x4000, 0x40a0};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto low = std::to_integer<unsigned>(tensor.bytes[2 * i]);
      QCOMPARE(low | std::to_integer<unsigned>(tensor.bytes[2 * i + 1]) << 8, expected[i]);
    }
  }

  void stateDictWithinACheckpointIsRead_data() {
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<QByteArray>("prefix");
    QTest::addColumn<float>("first");
    const auto row = [](const char* file, const char* entry, const char* prefix, float first) {
      QTest::newRow(file) << QByteArray(entry) << QByteArray(prefix) << first;
    };
    row("checkpoint.pt", "state_dict", "", 1);
    row("imagenet-example.pt", "state_dict", "module.", 1);
    row("torchvision-reference.pt", "model_ema", "module.", 5);
    row("timm.pt", "state_dict_ema", "", 5);
    row("lightning.pt", "state_dict", "model.net.", 1);
    row("nested.pt", "model.state_dict", "", 1);
    row("ema-first.pt", "ema_state_dict", "", 5);
    row("unusual-name.pt", "student_net", "", 1);
  }

  void stateDictWithinACheckpointIsRead() {
    QFETCH(QByteArray, entry);
    QFETCH(QByteArray, prefix);
    QFETCH(float, first);
    const StateDict read = readStateDict(kFiles / QTest::currentDataTag());
    QCOMPARE(read.entry, entry.toStdString());
    QCOMPARE(floatsOf(read.file, prefix.toStdString() + "weight"),
             (std::vector<float>{first, first + 1, first + 2, first + 3}));
    QVERIFY(read.file.find(prefix.toStdString() + "bias") != nullptr);
  }

  void theFormatBeforeVersion16IsRead() {
    const StateDict read = readStateDict(kFiles / "old.pt");
    QCOMPARE(read.file.tensors.size(), std::size_t{1});
    QCOMPARE(floatsOf(read.file, "a"), (std::vector<float>{1}));
    const StateDict checkpoint = readStateDict(kFiles / "old-checkpoint.pt");
    QCOMPARE(checkpoint.entry, std::string("state_dict"));
    QCOMPARE(floatsOf(checkpoint.file, "module.weight"), (std::vector<float>{1, 2, 3, 4}));
    const std::string bytes = sample("old-checkpoint.pt");
    for (std::size_t length = 14; length < bytes.size(); length += 7) {
      QVERIFY(errorOf([&] { parse(std::string_view(bytes).substr(0, length)); }).has_value());
    }
  }

  void otherFilesAreRefusedByName_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("a module") << QByteArray("module.pt")
                              << QByteArray("torch.nn.modules.linear.Linear");
    QTest::newRow("TorchScript") << QByteArray("script.pt") << QByteArray("TorchScript");
    QTest::newRow("TorchScript, compressed")
        << QByteArray("compressed-script.pt") << QByteArray("TorchScript");
    QTest::newRow("a module in a checkpoint")
        << QByteArray("module-in-checkpoint.pt")
        << QByteArray("its entry model is made by torch.nn.modules.linear.Linear");
    QTest::newRow("two dictionaries")
        << QByteArray("two-unusual-names.pt") << QByteArray("generator and discriminator are both");
    QTest::newRow("unsigned") << QByteArray("unsigned.pt") << QByteArray("_rebuild_tensor_v3");
  }

  void otherFilesAreRefusedByName() {
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, reason);
    const auto error = errorOf([&] { readStateDict(kFiles / name.toStdString()); });
    QVERIFY(error.has_value());
    QVERIFY2(QByteArray(error->what()).contains(reason), error->what());
    QVERIFY(QByteArray(error->what()).contains("torch.save("));
  }

  void functionsAreNeitherCalledNorBelieved_data() {
    using namespace std::string_literals;
    QTest::addColumn<QByteArray>("pickle");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const std::string& pickle, const char* reason) {
      QTest::newRow(name) << QByteArray::fromStdString(pickle) << QByteArray(reason);
    };
    row("system",
        "\x80\x02"s
        "cposix\nsystem\n(X\x02\x00\x00\x00idtR."s,
        "posix.system");
    row("eval",
        "\x80\x02"s
        "cbuiltins\neval\n."s,
        "builtins.eval");
    row("nested storage name",
        "\x80\x02"s
        "ctorch.x\nAStorage\n."s,
        "torch.x.AStorage");
    row("instance", "\x80\x02(iposix\nsystem\n."s, "instruction 105");
    row("new object", "\x80\x02)\x81."s, "empty stack");
    row("new object of a text", "\x80\x02X\x01\x00\x00\x00w)\x81."s, "not a class");
    row("object with attributes",
        "\x80\x02"s
        "cposix\nsystem\n)\x81}b."s,
        "made by posix.system; nothing was executed");
    row("state dictionary with an object",
        "\x80\x02}X\x0a\x00\x00\x00state_dictcposix\nsystem\n)Rs."s,
        "its entry state_dict is made by posix.system; nothing was executed");
    row("extension", "\x80\x02\x82\x01."s, "instruction 130");
    row("protocol 4", "\x80\x04}."s, "protocol 4");
    row("calls a storage",
        "\x80\x02"s
        "ctorch\nFloatStorage\n)R."s,
        "made by torch.FloatStorage; nothing was executed");
    row("rebuilds a tensor of nothing",
        "\x80\x02"s
        "ctorch._utils\n_rebuild_tensor_v2\n)R."s,
        "unexpected arguments");
    row("calls a text", "\x80\x02X\x01\x00\x00\x00w)R."s, "not a function");
    row("fills a global",
        "\x80\x02"s
        "ccollections\nOrderedDict\n}b."s,
        "not a dictionary");
    row("foreign reference", "\x80\x02X\x01\x00\x00\x00wQ."s, "not a storage");
    row("empty stack", "\x80\x02R."s, "empty stack");
    row("below a mark", "\x80\x02}(0."s, "instruction 48");
    row("value under a mark", "\x80\x02N(\x85."s, "empty stack");
    row("unknown memory", "\x80\x02h\x05."s, "never remembered");
    row("no end", "\x80\x02}"s, "ends within");
    row("long text", "\x80\x02X\xff\xff\xff\xffw"s, "ends within");
    row("not UTF-8", "\x80\x02X\x01\x00\x00\x00\xff."s, "not UTF-8");
    row("contains itself", "\x80\x02}q\x00X\x05\x00\x00\x00modelh\x00s."s, "no state dictionary");
    row("left over", "\x80\x02}}."s, "leaves values over");
    row("a number", "\x80\x02K\x01."s, "no state dictionary");
  }

  void functionsAreNeitherCalledNorBelieved() {
    QFETCH(QByteArray, pickle);
    QFETCH(QByteArray, reason);
    const std::string text = refusalOf(pickle.toStdString());
    QVERIFY2(text.find(reason.toStdString()) != std::string::npos, text.c_str());
    QVERIFY2(text.starts_with("file.pt"), text.c_str());
  }

  void repeatedEntriesTakeNoTime() {
    using namespace std::string_literals;
    // A dictionary that is its own entry "model" many times.
    std::string pickle = "\x80\x02}q\x00("s;
    const std::string key = "X\x05\x00\x00\x00modelh\x00"s;
    for (int i = 0; i < 100'000; ++i) pickle += key;
    const std::string text = refusalOf(pickle + "u.");
    QVERIFY2(text.find("no state dictionary") != std::string::npos, text.c_str());
  }

  void tensorsLieWithinTheirStorage_data() {
    using namespace std::string_literals;
    QTest::addColumn<QByteArray>("pickle");
    QTest::addColumn<bool>("fits");
    const auto row = [](const char* name, const std::string& pickle, bool fits) {
      QTest::newRow(name) << QByteArray::fromStdString(pickle) << fits;
    };
    row("two values", oneTensor("K\x00"s, "K\x02\x85"s, "K\x01\x85"s), true);
    row("the second", oneTensor("K\x01"s, "K\x01\x85"s, "K\x01\x85"s), true);
    row("none at the end", oneTensor("K\x02"s, "K\x00\x85"s, "K\x01\x85"s), true);
    row("scalar", oneTensor("K\x01"s, ")"s, ")"s), true);
    row("scalar at the end", oneTensor("K\x02"s, ")"s, ")"s), false);
    row("beyond the end", oneTensor("K\x01"s, "K\x02\x85"s, "K\x01\x85"s), false);
    row("stride", oneTensor("K\x00"s, "K\x02\x85"s, "K\x02\x85"s), false);
    row("expanded", oneTensor("K\x00"s, "M\xff\xff\x85"s, "K\x00\x85"s), false);
    row("negative offset", oneTensor("J\xff\xff\xff\xff"s, "K\x02\x85"s, "K\x01\x85"s), false);
    row("negative size", oneTensor("K\x00"s, "J\xff\xff\xff\xff\x85"s, "K\x01\x85"s), false);
    row("overflow",
        oneTensor(
            "K\x00"s, "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40K\x08\x86"s, "K\x01K\x01\x86"s),
        false);
    row("large stride",
        oneTensor("K\x00"s, "K\x02\x85"s, "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"s),
        false);
    row("more strides", oneTensor("K\x00"s, "K\x02\x85"s, "K\x01K\x01\x86"s), false);
    row("wrong storage", oneTensor("K\x00"s, "K\x02\x85"s, "K\x01\x85"s, "K\x03"s), false);
  }

  void tensorsLieWithinTheirStorage() {
    QFETCH(QByteArray, pickle);
    QFETCH(bool, fits);
    const std::string text = refusalOf(pickle.toStdString());
    QVERIFY2(text.empty() == fits, text.c_str());
    if (!fits) QVERIFY2(text.find("tensor w") != std::string::npos, text.c_str());
  }

  void changedValuesAreFound() {
    std::string bytes = sample("state_dict.pt");
    const std::string value("\x00\x00\xb8\x41", 4);  // 23, the last of stem.weight
    bytes[bytes.find(value) + 2] ^= 1;
    const auto error = errorOf([&] { parse(bytes); });
    QVERIFY(error.has_value());
    QVERIFY2(QByteArray(error->what()).contains("CRC"), error->what());
  }

  void otherArchivesAreRefused() {
    const TemporaryFolder folder;
    ZipWriter writer(folder.path() / "images.npz");
    writer.begin("images.npy", 4);
    writer.append(std::as_bytes(std::span("1234", 4)));
    writer.commit();
    const auto error = errorOf([&] { readStateDict(folder.path() / "images.npz"); });
    QVERIFY(error && error->reason().find("without data.pkl") != std::string::npos);
    QVERIFY(errorOf([] { parse("not a zip archive"); }).has_value());
    QVERIFY(errorOf([] { parse(""); }).has_value());
    QVERIFY(errorOf([&] { readStateDict(folder.path()); }).has_value());
  }

  void damageNeverDoesMoreThanThrow() {
    for (const char* name : {"state_dict.pt", "checkpoint.pt", "timm.pt", "old-checkpoint.pt"}) {
      const std::string bytes = sample(name);
      for (std::uint64_t number = 0; number < 3000; ++number) {
        errorOf([&] { parse(mutated(bytes, 1, number)); });
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestStateDict)
#include "tst_state_dict.moc"
