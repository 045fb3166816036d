#include <cstdio>
#include <string>

#include <QtTest/QtTest>

#include <CLI/CLI.hpp>
#include <archive.h>
#include <curl/curl.h>
#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>
#include <jpeglib.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <png.h>
#include <protozero/pbf_writer.hpp>
#include <utf8proc.h>
#include <webp/demux.h>
#include <zlib.h>

namespace lambda {

/// Uses a header and a library of every package that tests/gpu/pack brings along, so that one small
/// program shows whether a build has them all.
class TestPack : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hasAllHeaders();
  void hasAllLibraries();
};

void TestPack::hasAllHeaders() {
  CLI::App options;
  QVERIFY(nlohmann::json::parse("[1]").is_array());
  std::string message;
  protozero::pbf_writer(message).add_bool(1, true);
  QVERIFY(!message.empty());
}

void TestPack::hasAllLibraries() {
  QVERIFY(archive_version_number() > 0);
  QVERIFY(curl_version_info(CURLVERSION_NOW) != nullptr);
  QVERIFY(EVP_sha256() != nullptr);
  QVERIFY(png_access_version_number() > 0);
  QVERIFY(zlibVersion() != nullptr);
  QVERIFY(WebPGetDemuxVersion() > 0);
  QVERIFY(utf8proc_version() != nullptr);
  jpeg_error_mgr errors;
  QVERIFY(jpeg_std_error(&errors) == &errors);
  QVERIFY(hwy::SupportedTargets() != 0);
  QVERIFY(hwy::AllocateAligned<float>(1) != nullptr);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPack)
#include "tst_pack.moc"
