#include <chrono>

#include <QtTest/QtTest>

#include "engine/formats/image_folder/image_folder.h"
#include "engine/runtime/error.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr PictureOptions kOptions{.size = 16};

/// The text of the findings, a line each.
std::string findingsOf(const DataReport& report) {
  std::string text;
  for (const DataFinding& finding : report.findings) text += finding.text + "\n";
  return text;
}

/// The bytes of a small picture that tests/support/make_pictures.py wrote.
std::string storedPicture(const std::string& name) {
  return readFile(fs::path(LAMBDA_TEST_DATA "/fuzz/pictures") / name, 1 << 20);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string failureOf(const ImageFolderSource& source) {
  try {
    readImageFolder(source);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::ptrdiff_t filesIn(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

class TestImageFolder : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() {
    folder_ = std::make_unique<TemporaryFolder>();
    // The test must not use the person's own cache.
    qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((path() / "cache").string()));
  }

  void foldersAreClassesAndPartsAreKeptApart() {
    writePictures(path() / "set/train", 4);
    writePictures(path() / "set/val", 2);
    const DecodedPictures set = readImageFolder(source());
    QCOMPARE(set.train.classNames, (std::vector<std::string>{"blue", "red"}));
    QCOMPARE(set.train.count(), std::size_t{8});
    QCOMPARE(set.test.count(), std::size_t{4});
    QVERIFY((set.train.labels == std::vector<std::uint16_t>{0, 0, 0, 0, 1, 1, 1, 1}));
    const std::size_t plane = 16 * 16;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint8_t* planes = &set.train.pixels[i * 3 * plane];
      const bool isRed = set.train.labels[i] == 1;
      QVERIFY((planes[5] > 240) == isRed);
      QVERIFY((planes[2 * plane + 5] > 240) == !isRed);
    }
    const DatasetInfo info = probeImageFolder(source());
    QVERIFY((info.shape == MapShape{3, 16, 16}));
    QCOMPARE(info.trainCount, std::int64_t{8});
    QCOMPARE(info.testCount, std::int64_t{4});
  }

  void withoutPartsEverythingIsForTraining() {
    writePictures(path() / "set", 3);
    QCOMPARE(readImageFolder(source()).train.count(), std::size_t{6});
    QCOMPARE(readImageFolder(source()).test.count(), std::size_t{0});
    const DataReport report = checkImageFolder(source());
    QVERIFY(report.usable);
    QVERIFY(report.findings.at(0).text.find("no test set") != std::string::npos);
  }

  void testPicturesWithoutClassesAreNoTestSet() {
    writePictures(path() / "set/train", 2);
    writePictures(path() / "set/val", 3);
    fs::create_directories(path() / "set/test");
    writeFileDurably(path() / "set/test/0.png", encodePng(plainPicture(8, 8, 1, 2, 3)));
    QCOMPARE(readImageFolder(source()).test.count(), std::size_t{6});
  }

  void corruptPicturesAreRefusedOrLeftOut() {
    writePictures(path() / "set", 3);
    writeFileDurably(path() / "set/blue/broken.png", "no picture");
    QVERIFY2(
        failureOf(source()).find("blue/broken.png: is no JPEG, PNG or WebP") != std::string::npos,
        failureOf(source()).c_str());
    ImageFolderSource skipping = source();
    skipping.corrupt = CorruptPictures::skip;
    const DecodedPictures left = readImageFolder(skipping);
    QCOMPARE(left.train.count(), std::size_t{6});
    QCOMPARE(left.corrupt.size(), std::size_t{1});
    QVERIFY(has(changesText(left), "1 corrupt picture is left out"));
    QVERIFY(has(changesText(readImageFolder(skipping)), "1 corrupt picture is left out"));
    QVERIFY(!checkImageFolder(source()).usable);
    const DataReport report = checkImageFolder(skipping);
    QVERIFY(report.usable);
    QCOMPARE(report.info->trainCount, std::int64_t{6});
    QVERIFY(report.findings.at(1).text.find("1 corrupt picture is left out") != std::string::npos);
  }

  void whatIsSaidOfCorruptPicturesFitsTheirNumberAndEveryCommand() {
    writePictures(path() / "set", 3);
    writeFileDurably(path() / "set/blue/broken.png", "no picture");
    QVERIFY2(has(failureOf(source()), "Replace or remove it. To leave corrupt pictures out, train"),
             failureOf(source()).c_str());
    const DataFinding one = checkImageFolder(source()).findings.at(1);
    QCOMPARE(one.text, std::string("1 picture is corrupt"));
    QVERIFY2(has(one.hint, "Replace or remove it."), one.hint.c_str());
    writeFileDurably(path() / "set/red/broken.png", "no picture");
    const DataFinding all = checkImageFolder(source()).findings.at(2);
    QCOMPARE(all.text, std::string("2 pictures are corrupt"));
    QVERIFY2(has(all.hint, "Replace or remove them."), all.hint.c_str());
  }

  void whatIsChangedInPicturesIsCountedAndSaid() {
    writePictures(path() / "set", 3);
    writeFileDurably(path() / "set/blue/turned.jpg", storedPicture("turned.jpg"));
    writeFileDurably(path() / "set/blue/turned.jfif", storedPicture("turned.jpg"));
    writeFileDurably(path() / "set/red/icon.png", storedPicture("alpha.png"));
    writeFileDurably(path() / "set/red/other.webp", storedPicture("rgb.png"));
    const PictureCounts counts{.turned = 2,
                               .transparent = 1,
                               .misnamed = 1,
                               .misnamedExample = "red/other.webp is a PNG picture"};
    QVERIFY(readImageFolder(source()).counts == counts);
    QVERIFY(readImageFolder(source()).counts == counts);  // Also from the cache.
    const std::string findings = findingsOf(checkImageFolder(source()));
    for (const char* part : {"2 pictures are turned, as the orientation in EXIF says",
                             "1 picture is transparent, and composited on white",
                             "red/other.webp is a PNG picture"}) {
      QVERIFY2(findings.find(part) != std::string::npos, findings.c_str());
    }
    ImageFolderSource refusing = source();
    refusing.transparent = TransparentPictures::refuse;
    QVERIFY(failureOf(refusing).find("icon.png: is transparent") != std::string::npos);
    refusing.corrupt = CorruptPictures::skip;
    QCOMPARE(readImageFolder(refusing).train.count(), std::size_t{9});
  }

  void contentOfAnotherFormatIsNamed() {
    writePictures(path() / "set", 3);
    writeFileDurably(path() / "set/blue/film.jpg", "GIF89a...........");
    writeFileDurably(path() / "set/blue/page.png", "<html><body>404 Not Found</body></html>");
    const std::string findings = findingsOf(checkImageFolder(source()));
    QVERIFY2(findings.find("is a GIF picture, not a JPEG") != std::string::npos, findings.c_str());
    QVERIFY2(findings.find("is a web page (HTML)") != std::string::npos, findings.c_str());
  }

  void theValidationFolderIsReadWhereItIsAsked() {
    writePictures(path() / "set/train", 4);
    writePictures(path() / "set/valid", 3);
    writePictures(path() / "set/test", 2);
    const DataReport unused = checkImageFolder(source());
    QVERIFY(findingsOf(unused).find("is not read: there is a test split too") != std::string::npos);
    QCOMPARE(unused.info->validationCount, std::int64_t{0});
    ImageFolderSource own = source();
    own.validation = ValidationPictures::folder;
    const DecodedPictures read = readImageFolder(own);
    QCOMPARE(read.train.count(), std::size_t{8});
    QCOMPARE(read.validation.count(), std::size_t{6});
    QCOMPARE(read.test.count(), std::size_t{4});
    const DatasetInfo info = probeImageFolder(own);
    QCOMPARE(info.trainCount, std::int64_t{14});
    QCOMPARE(info.validationCount, std::int64_t{6});
    QVERIFY(*checkImageFolder(own).info == info);
    fs::remove_all(path() / "set/valid");
    QVERIFY(failureOf(own).find("has no validation split") != std::string::npos);
  }

  void whatIsNoDataSetIsNamed() {
    QVERIFY(failureOf(source()).find("cannot list") != std::string::npos);
    fs::create_directories(path() / "set/blue");
    QVERIFY(failureOf(source()).find("has 1 folders") != std::string::npos);
    writePictures(path() / "set", 2);
    fs::create_directories(path() / "set/empty");
    QVERIFY(failureOf(source()).find("empty: holds no JPEG, PNG or WebP") != std::string::npos);
    fs::remove(path() / "set/empty");
    fs::rename(path() / "set", path() / "train");
    fs::create_directories(path() / "set");
    fs::rename(path() / "train", path() / "set/train");
    writePictures(path() / "set/test", 2);
    fs::rename(path() / "set/test/red", path() / "set/test/green");
    QVERIFY(failureOf(source()).find("a class that the training pictures do not have") !=
            std::string::npos);
  }

  void picturesAreDecodedOnce() {
    writePictures(path() / "set", 3);
    const PictureList list = listPictures(path() / "set");
    const DecodedPictures first = loadPictures(list, kOptions, cache());
    QCOMPARE(filesIn(cache()), std::ptrdiff_t{1});
    // A changed cache shows whether the pictures are read from it.
    DecodedPictures other = first;
    other.train.pixels[0] ^= 1;
    writePictureCache(cache() / cacheNameOf(list, kOptions), other);
    const DecodedPictures second = loadPictures(list, kOptions, cache());
    QVERIFY(second.train == other.train && second.test == first.test);
  }

  void everythingThatChangesAPictureChangesTheCache() {
    writePictures(path() / "set", 3);
    const PictureList list = listPictures(path() / "set");
    const std::string name = cacheNameOf(list, kOptions);
    QCOMPARE(cacheNameOf(listPictures(path() / "set"), kOptions), name);
    QVERIFY(cacheNameOf(list, {.size = 17}) != name);
    QVERIFY(cacheNameOf(list, {16, TransparentPictures::refuse}) != name);
    const fs::path picture = path() / "set/blue/0.png";
    fs::last_write_time(picture, fs::last_write_time(picture) + std::chrono::seconds(1));
    const std::string touched = cacheNameOf(listPictures(path() / "set"), kOptions);
    QVERIFY(touched != name);
    // A copy with the time and the size of the former picture is another one all the same.
    QTest::qSleep(20);  // The clock of the file system ticks more slowly than its files change.
    const fs::file_time_type time = fs::last_write_time(picture);
    writeFileDurably(picture, readFile(picture, 1 << 20));
    fs::last_write_time(picture, time);
    QVERIFY(cacheNameOf(listPictures(path() / "set"), kOptions) != touched);
    fs::rename(picture, path() / "set/blue/9.png");
    QVERIFY(cacheNameOf(listPictures(path() / "set"), kOptions) != touched);
  }

  void aDamagedCacheIsNotBelieved() {
    writePictures(path() / "set", 3);
    const PictureList list = listPictures(path() / "set");
    const DecodedPictures first = loadPictures(list, kOptions, cache());
    const fs::path file = cache() / cacheNameOf(list, kOptions);
    const std::string whole = readFile(file, 1 << 20);
    for (std::size_t at = 0; at < whole.size(); at += 211) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      writeFileDurably(file, damaged);
      QVERIFY2(!readPictureCache(file, list, 16), std::to_string(at).c_str());
    }
    writeFileDurably(file, whole.substr(0, whole.size() - 1));
    QVERIFY(!readPictureCache(file, list, 16));
    QVERIFY(loadPictures(list, kOptions, cache()).train == first.train);
    QVERIFY(readPictureCache(file, list, 16).has_value());
  }

  void aCacheThatCannotBeWrittenIsNoFailure() {
    writePictures(path() / "set", 2);
    writeFileDurably(path() / "file", "x");
    const PictureList list = listPictures(path() / "set");
    QCOMPARE(loadPictures(list, kOptions, path() / "file/cache").train.count(), std::size_t{4});
  }

 private:
  const fs::path& path() const { return folder_->path(); }

  fs::path cache() const { return path() / "cache/own"; }

  ImageFolderSource source() const { return {.path = (path() / "set").string(), .size = 16}; }

  std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestImageFolder)
#include "tst_image_folder.moc"
