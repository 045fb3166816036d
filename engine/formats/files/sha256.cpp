#include "engine/formats/files/sha256.h"

#include <array>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/hex_text.h"

namespace lambda {

namespace {

/// A program may end while a thread of it still reads data: OpenSSL must not be taken down before
/// that thread.
evp_md_ctx_st* newContext() {
  [[maybe_unused]] static const int isKept = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  return EVP_MD_CTX_new();
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(newContext()) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
    throw Error("", "OpenSSL offers no SHA-256", "check the OpenSSL installation of this machine");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
  return hexText(std::span(digest).first(size));
}

std::string sha256Hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string sha256OfFile(const std::filesystem::path& path) {
  FileReader reader(path);
  Sha256 digest;
  std::vector<std::byte> piece(1 << 18);
  while (const std::size_t count = reader.read(piece)) {
    digest.update(std::span(piece).first(count));
  }
  return digest.hex();
}

}  // namespace lambda
