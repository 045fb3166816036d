#include "engine/formats/tensors/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::json;

constexpr const char* kDamagedHint =
    "the file is damaged or not safetensors: use another copy, or an older checkpoint";

/// The beginning of a name, long enough to recognise it.
std::string beginningOf(const std::string& name) {
  constexpr std::size_t kBytes = 32;
  return std::string(utf8Prefix(name, kBytes));
}

// Reads the header while it is parsed. The format's three levels are the states, so nothing deeper
// or of another type is ever stored, and a duplicate key is detected before it replaces the first.
class HeaderHandler : public nlohmann::json_sax<Json> {
 public:
  SafeTensorsHeader header;
  std::string problem;

  bool null() override { return refuse("null"); }

  bool boolean(bool) override { return refuse("a boolean"); }

  bool number_integer(number_integer_t) override { return refuse("a negative number"); }

  bool number_float(number_float_t, const string_t&) override {
    return refuse("a number that is not a 64-bit integer");
  }

  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::shape) {
      std::vector<std::int64_t>& shape = header.tensors.back().shape;
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return fail("a size beyond 64 bits");
      }
      if (shape.size() == kMaxRank) return fail("more than 64 dimensions");
      shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (state_ == State::offsets) {
      TensorEntry& tensor = header.tensors.back();
      if (offsetCount_ == 2) return fail("more than two data offsets");
      (offsetCount_++ == 0 ? tensor.begin : tensor.end) = value;
      return true;
    }
    return refuse("a number");
  }

  bool string(string_t& value) override {
    if (state_ == State::metadata) {
      if (!header.metadata.emplace(key_, std::move(value)).second) {
        return fail("the metadata key \"" + key_ + "\" is there twice");
      }
      return true;
    }
    if (state_ == State::tensor && key_ == "dtype") {
      const std::optional<DType> dtype = dtypeFromName(value);
      if (!dtype) return fail("unknown dtype \"" + beginningOf(value) + "\"");
      header.tensors.back().dtype = *dtype;
      return true;
    }
    return refuse("a text");
  }

  bool start_object(std::size_t) override {
    if (state_ == State::start) {
      state_ = State::top;
      return true;
    }
    if (state_ != State::top) return refuse("an object");
    if (key_ == kMetadataKey) {
      if (std::exchange(metadataSeen_, true)) return fail("two __metadata__ objects");
      state_ = State::metadata;
      return true;
    }
    header.tensors.emplace_back().name = key_;
    dtypeSeen_ = shapeSeen_ = offsetsSeen_ = false;
    offsetCount_ = 0;
    state_ = State::tensor;
    return true;
  }

  bool key(string_t& name) override {
    key_ = std::move(name);
    if (state_ != State::tensor) return true;
    bool* seen = key_ == "dtype"          ? &dtypeSeen_
                 : key_ == "shape"        ? &shapeSeen_
                 : key_ == "data_offsets" ? &offsetsSeen_
                                          : nullptr;
    if (seen == nullptr) return fail("unknown key \"" + beginningOf(key_) + "\"");
    if (std::exchange(*seen, true)) return fail("\"" + key_ + "\" is there twice");
    return true;
  }

  bool end_object() override {
    if (state_ == State::tensor && !(dtypeSeen_ && shapeSeen_ && offsetCount_ == 2)) {
      return fail("needs dtype, shape and two data_offsets");
    }
    state_ = state_ == State::top ? State::end : State::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ == State::tensor && key_ == "shape") {
      state_ = State::shape;
    } else if (state_ == State::tensor && key_ == "data_offsets") {
      state_ = State::offsets;
    } else {
      return refuse("a list");
    }
    return true;
  }

  bool end_array() override {
    state_ = State::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    problem = "the header is not valid JSON at byte " + std::to_string(position + 7);
    return false;
  }

 private:
  enum class State { start, top, metadata, tensor, shape, offsets, end };

  bool refuse(const std::string& found) { return fail("unexpected " + found); }

  bool fail(const std::string& reason) {
    const bool inTensor =
        state_ == State::tensor || state_ == State::shape || state_ == State::offsets;
    problem =
        inTensor ? "tensor \"" + header.tensors.back().name + "\": " + reason : "header: " + reason;
    return false;
  }

  State state_ = State::start;
  std::string key_;
  bool metadataSeen_ = false;
  bool dtypeSeen_ = false;
  bool shapeSeen_ = false;
  bool offsetsSeen_ = false;
  int offsetCount_ = 0;
};

Error damaged(const std::string& place, const std::string& reason) {
  return {place, reason, kDamagedHint};
}

void refuseDoubledNames(const std::vector<TensorEntry>& tensors, const std::string& place) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const TensorEntry& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end()) {
    throw damaged(place, "tensor \"" + std::string(*twin) + "\" is there twice");
  }
}

// Sorts by offset and checks that the tensors follow each other from 0 to `dataBytes`. Stable:
// empty tensors share an offset, and the digest depends on their order.
void checkLayout(std::vector<TensorEntry>& tensors,
                 std::uint64_t dataBytes,
                 const std::string& place) {
  std::ranges::stable_sort(tensors, [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::uint64_t next = 0;
  for (const TensorEntry& tensor : tensors) {
    const std::string where = "tensor \"" + tensor.name + "\": ";
    if (tensor.begin != next || tensor.end < tensor.begin || tensor.end > dataBytes) {
      throw damaged(place,
                    where + "bytes " + std::to_string(tensor.begin) + " to " +
                        std::to_string(tensor.end) + " do not follow byte " + std::to_string(next) +
                        " of " + std::to_string(dataBytes));
    }
    const std::optional<std::uint64_t> size = tensorBytes(tensor.dtype, tensor.shape);
    if (size != tensor.end - tensor.begin) {
      throw damaged(place,
                    where + "its shape needs " +
                        (size ? std::to_string(*size) : "impossibly many") + " bytes, but " +
                        std::to_string(tensor.end - tensor.begin) + " are there");
    }
    next = tensor.end;
  }
  if (next != dataBytes) {
    throw damaged(place, std::to_string(dataBytes - next) + " bytes follow the last tensor's end");
  }
}

}  // namespace

std::uint64_t headerLength(std::span<const std::byte, 8> prefix,
                           std::uint64_t fileBytes,
                           const std::string& place) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = (length << 8) | std::to_integer<std::uint64_t>(prefix[i]);
  if (length > kMaxHeaderBytes) {
    throw damaged(place, "this is not a safetensors file: it does not begin with a header");
  }
  if (length > fileBytes - prefix.size()) {
    throw damaged(place,
                  "the first 8 bytes announce a header of " + std::to_string(length) +
                      " bytes, but the file has " + std::to_string(fileBytes));
  }
  return length;
}

SafeTensorsHeader parseSafeTensorsHeader(std::string_view json,
                                         std::uint64_t dataBytes,
                                         const std::string& place) {
  // Only spaces may surround the object, so that a file can't be of another format as well.
  const std::size_t last = json.find_last_not_of(' ');
  if (json.empty() || json.front() != '{' || json[last] != '}') {
    throw damaged(place, "byte 8: a safetensors header of \"{...}\" is expected");
  }
  HeaderHandler handler;
  if (!Json::sax_parse(
          json.begin(), json.begin() + static_cast<std::ptrdiff_t>(last) + 1, &handler)) {
    throw damaged(place, handler.problem);
  }
  refuseDoubledNames(handler.header.tensors, place);
  checkLayout(handler.header.tensors, dataBytes, place);
  return std::move(handler.header);
}

std::string encodeSafeTensorsHeader(const std::vector<TensorEntry>& tensors,
                                    const std::map<std::string, std::string>& metadata,
                                    const std::string& place) {
  std::string text = "{";
  try {
    if (!metadata.empty()) {
      text += Json(kMetadataKey).dump() + ":" + Json(metadata).dump();
    }
    for (const TensorEntry& tensor : tensors) {
      if (text.size() > 1) text += ",";
      text += Json(tensor.name).dump() + R"(:{"dtype":")";
      text += dtypeName(tensor.dtype);
      text += R"(","shape":)" + Json(tensor.shape).dump() + R"(,"data_offsets":[)" +
              std::to_string(tensor.begin) + "," + std::to_string(tensor.end) + "]}";
    }
  } catch (const Json::type_error&) {
    throw Error(place, "a tensor's name or the metadata is not UTF-8 text");
  }
  text += "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) {
    throw Error(place,
                "the header would have " + std::to_string(text.size()) +
                    " bytes, more than the format's 100 MB",
                "save fewer tensors, or less metadata, in one file");
  }
  return text;
}

}  // namespace lambda
