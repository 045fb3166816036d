#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace lambda {

/// SHA-256 (FIPS 180-4) of bytes that are added piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes);

  /// The digest of all pieces as 64 lower-case hexadecimal digits. Ends this object's use.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256Hex(std::string_view bytes);

/// The digest of a regular file, which is read in pieces. Throws Error if it can't be read.
std::string sha256OfFile(const std::filesystem::path& path);

}  // namespace lambda
