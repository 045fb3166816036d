#include "engine/formats/files/sha1.h"

#include <array>

#include <openssl/evp.h>

#include "engine/formats/files/hex_text.h"
#include "engine/runtime/error.h"

namespace lambda {

std::string sha1Hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
    throw Error("", "OpenSSL offers no SHA-1", "check the OpenSSL installation of this machine");
  }
  return hexText(std::span(digest).first(size));
}

}  // namespace lambda
