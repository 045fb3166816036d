#include <sys/stat.h>

#include <QtTest/QtTest>

#include "engine/formats/image_folder/picture_list.h"
#include "engine/runtime/error.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

std::string failureOf(const fs::path& folder) {
  try {
    listPictures(folder);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The findings of the list, a line each with its place.
std::string findingsOf(const PictureList& list) {
  std::string text;
  for (const DataFinding& finding : list.findings)
    text += finding.place + ": " + finding.text + "\n";
  return text;
}

}  // namespace

class TestPictureList : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { folder_ = std::make_unique<TemporaryFolder>(); }

  void splitsAreKnownByTheirUsualNames_data() {
    QTest::addColumn<QString>("train");
    QTest::addColumn<QString>("test");
    for (const auto& [train, test] : {std::pair{"train", "test"},
                                      {"Training", "Testing"},
                                      {"TRAIN", "Test"},
                                      {"train_set", "test-set"},
                                      {"trainingSet", "testSet"},
                                      {"train", "val"},
                                      {"training", "Validation"},
                                      {"train", "valid"},
                                      {"seg_train", "seg_test"},
                                      {"train", "official test"},
                                      {"Train Data", "Eval"}}) {
      QTest::addRow("%s %s", train, test)
          << QString::fromLatin1(train) << QString::fromLatin1(test);
    }
  }

  void splitsAreKnownByTheirUsualNames() {
    QFETCH(const QString, train);
    QFETCH(const QString, test);
    writePictures(path() / train.toStdString(), 3);
    writePictures(path() / test.toStdString(), 2);
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QCOMPARE(list.train.folder, train.toStdString());
    QCOMPARE(list.test.folder, test.toStdString());
    QCOMPARE(list.train.pictures.size(), std::size_t{6});
    QCOMPARE(list.test.pictures.size(), std::size_t{4});
    QVERIFY(!has(findingsOf(list), "is not read"));
  }

  void splitsForTrainingAndTestNeedNoWords() {
    writePictures(path() / "train", 3);
    writePictures(path() / "test", 2);
    QCOMPARE(findingsOf(listPictures(path())), std::string());
  }

  void aValidationSplitThatIsTheTestSetIsNamed() {
    writePictures(path() / "train", 3);
    writePictures(path() / "valid", 2);
    const PictureList list = listPictures(path());
    QCOMPARE(list.test.pictures.size(), std::size_t{4});
    QVERIFY2(has(findingsOf(list), "valid: is the test set: there is no test split"),
             findingsOf(list).c_str());
    writePictures(path() / "test", 1);
    QVERIFY(!has(findingsOf(listPictures(path())), "is the test set"));
  }

  void splitsNamedByOneOfTheirWordsAreKnownByTheirClasses_data() {
    QTest::addColumn<QString>("beside");
    QTest::newRow("pictures to predict") << "seg_pred/seg_pred/1.png";
    QTest::newRow("pictures without classes") << "seg_pred/1.png";
    QTest::newRow("another folder") << "extra/a/1.png";
  }

  void splitsNamedByOneOfTheirWordsAreKnownByTheirClasses() {
    QFETCH(const QString, beside);
    writePictures(path() / "seg_train/seg_train", 3);
    writePictures(path() / "seg_test/seg_test", 2);
    addPicture(beside.toStdString());
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QCOMPARE(list.train.pictures.size(), std::size_t{6});
    QCOMPARE(list.test.pictures.size(), std::size_t{4});
    const std::string other = fs::path(beside.toStdString()).begin()->string();
    QVERIFY2(
        has(findingsOf(list), other + ": is not read: it lies beside the training split seg_train"),
        findingsOf(list).c_str());
  }

  void aTrainingSplitNamedByOneOfItsWordsIsKnownBesideATestSplit() {
    writePictures(path() / "my_train", 3);
    writePictures(path() / "test", 2);
    addPicture("extra/a/1.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.train.folder, std::string("my_train"));
    QCOMPARE(list.classNames, kClasses);
  }

  void foldersNamedAsSplitsAreNotSilentlyClasses() {
    for (const char* name : {"bus/big", "bus/small", "train station/day", "train station/night"}) {
      addPicture(fs::path(name) / "1.png");
    }
    addPicture("test tube/1.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, (std::vector<std::string>{"bus", "test tube", "train station"}));
    QVERIFY2(has(findingsOf(list),
                 "train station: is read as a class, although it has the name of a split"),
             findingsOf(list).c_str());
  }

  void foldersWithinClassFoldersAreNamed() {
    writePictures(path() / "train", 2);
    writePictures(path() / "test", 2);
    addPicture("train/red/deep/1.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.train.pictures.size(), std::size_t{5});
    QVERIFY2(has(findingsOf(list),
                 "the pictures in 1 folder within class folders count to the class folder around "
                 "it: train/red/deep"),
             findingsOf(list).c_str());
    addPicture("train/blue/deep/deeper/1.png");
    addPicture("train/blue/deep/1.png");
    QVERIFY2(has(findingsOf(listPictures(path())),
                 "the pictures in 2 folders within class folders count to the class folder around "
                 "them, such as train/blue/deep"),
             findingsOf(listPictures(path())).c_str());
  }

  void foldersThatHoldTheSameFoldersAreNotSilentlyClasses() {
    for (const char* part : {"first", "second"}) {
      for (const char* name : {"blue", "red"}) addPicture(fs::path(part) / name / "1.png");
    }
    const std::string findings = findingsOf(listPictures(path()));
    QVERIFY2(
        has(findings,
            "first and second are read as the classes, but hold the same folders, blue and red"),
        findings.c_str());
  }

  void aSplitBesideClassFoldersIsNamed() {
    writePictures(path(), 2);
    writePictures(path() / "Test", 2);
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QCOMPARE(list.test.pictures.size(), std::size_t{4});
    QVERIFY2(has(findingsOf(list), "beside the class folders lies Test, which is read as a split"),
             findingsOf(list).c_str());
  }

  void whatLiesBesideTheTrainingSplitIsNamed() {
    writePictures(path() / "train", 2);
    addPicture("green/1.png");
    addPicture("test/1.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QVERIFY(has(findingsOf(list), "green: is not read: it lies beside the training split train"));
    QVERIFY(has(findingsOf(list), "test: is not read: its pictures lie in no class folders"));
  }

  void splitsThatCannotBeUsedAreRefused() {
    writePictures(path() / "test", 2);
    QVERIFY2(has(failureOf(path()), "has the split test, but none for training"),
             failureOf(path()).c_str());
    fs::remove_all(path() / "test");
    addPicture("train/1.png");
    addPicture("test/1.png");
    QVERIFY2(
        has(failureOf(path()), "is named as a split, but its pictures lie in no class folders"),
        failureOf(path()).c_str());
    fs::remove_all(path() / "train");
    writePictures(path() / "train", 2);
    writePictures(path() / "Training", 2);
    QVERIFY2(has(failureOf(path()), "has several splits for training: Training and train"),
             failureOf(path()).c_str());
  }

  void aClassMayHaveTheNameOfASplit() {
    for (const char* name : {"bus", "car", "train"}) addPicture(fs::path(name) / "1.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, (std::vector<std::string>{"bus", "car", "train"}));
    QVERIFY(
        has(findingsOf(list), "train: is read as a class, although it has the name of a split"));
  }

  void classesThatLieDeeperAreFound() {
    writePictures(path() / "archive/flowers", 2);
    const PictureList deep = listPictures(path());
    QCOMPARE(deep.classNames, kClasses);
    QVERIFY(has(findingsOf(deep), "the classes lie deeper, in archive/flowers"));
    fs::remove_all(path() / "archive");
    writePictures(path() / "seg_train/seg_train", 2);
    writePictures(path() / "seg_test/seg_test", 1);
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QCOMPARE(list.train.folder, std::string("seg_train/seg_train"));
    QCOMPARE(list.test.pictures.size(), std::size_t{2});
  }

  void filesThatAreNotReadAreCountedByTheirKind() {
    writePictures(path(), 2);
    for (const char* name : {"a.bmp", "b.bmp", "c.gif", "d.txt", "e"}) {
      writeFileDurably(path() / "blue" / name, "x");
    }
    addPicture("red/photo.jfif");
    addPicture("red/photo.WEBP");
    addPicture("loose.png");
    const PictureList list = listPictures(path());
    QCOMPARE(list.train.pictures.size(), std::size_t{6});
    const std::string findings = findingsOf(list);
    for (const char* part : {"2 .bmp files are not read, such as blue/a.bmp",
                             "1 .gif file is not read: blue/c.gif",
                             "1 .txt file is not read: blue/d.txt",
                             "1 extensionless file is not read: blue/e",
                             "1 loose picture is not read: loose.png"}) {
      QVERIFY2(has(findings, part), findings.c_str());
    }
    addPicture("green/1.bmp");
    QVERIFY2(has(failureOf(path()), "green: holds no JPEG, PNG or WebP picture, but 1 .bmp file"),
             failureOf(path()).c_str());
  }

  void linksAreFollowedAndBrokenOnesNamed() {
    writePictures(path() / "set", 2);
    addPicture("elsewhere/3.png");
    addPicture("elsewhere/deep/4.png");
    fs::create_directory_symlink(path() / "elsewhere", path() / "set/blue/linked");
    fs::create_symlink(path() / "elsewhere/3.png", path() / "set/red/three.png");
    fs::create_symlink(path() / "nowhere.png", path() / "set/red/broken.png");
    fs::create_directory_symlink(path() / "set", path() / "set/red/back");
    const PictureList list = listPictures(path() / "set");
    QCOMPARE(list.train.pictures.size(), std::size_t{7});
    QVERIFY2(has(findingsOf(list), "1 broken link is not read: red/broken.png"),
             findingsOf(list).c_str());
    QVERIFY2(has(findingsOf(list), "1 circular link is not read: red/back"),
             findingsOf(list).c_str());
  }

  void linksInARingWithoutPicturesEnd() {
    for (const char* name : {"blue", "red", "green"}) {
      fs::create_directories(path() / name);
      for (const char* other : {"blue", "red", "green"}) {
        fs::create_directory_symlink(path() / other, path() / name / other);
      }
    }
    QVERIFY(!hasClassFolders(path()));
    QVERIFY(!failureOf(path()).empty());
  }

  void whatFileManagersLeaveBehindIsSkippedEverywhere() {
    writePictures(path(), 2);
    for (const char* name : {"blue/.hidden/1.png",
                             "blue/._0.png",
                             "blue/@eaDir/1.png",
                             "red/__MACOSX/1.png",
                             "red/Thumbs.db",
                             "red/more/.DS_Store",
                             "__MACOSX/blue/1.png",
                             ".ipynb_checkpoints/1.png"}) {
      addPicture(name);
    }
    const PictureList list = listPictures(path());
    QCOMPARE(list.classNames, kClasses);
    QCOMPARE(list.train.pictures.size(), std::size_t{4});
    QCOMPARE(findingsOf(list), std::string());
  }

  void aPipeIsNamedAndNotOpened() {
    writePictures(path(), 2);
    QCOMPARE(::mkfifo((path() / "blue/pipe.png").c_str(), 0600), 0);
    QVERIFY(has(findingsOf(listPictures(path())), "1 special file is not read: blue/pipe.png"));
  }

 private:
  const fs::path& path() const { return folder_->path(); }

  void addPicture(const fs::path& name) {
    fs::create_directories((path() / name).parent_path());
    writeFileDurably(path() / name, encodePng(plainPicture(4, 4, 1, 2, 3)));
  }

  const std::vector<std::string> kClasses{"blue", "red"};
  std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPictureList)
#include "tst_picture_list.moc"
