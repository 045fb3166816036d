#include "engine/formats/pytorch/state_dict.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/formats/archives/zip_reader.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/pytorch/pickle_bytes.h"
#include "engine/formats/pytorch/pickle_program.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

using Members = std::map<std::string, std::vector<std::byte>>;

constexpr std::size_t kMaxRank = 64;
constexpr std::uint64_t kMaxGrowth = 4;
constexpr const char* kDescription = "/data.pkl";

// The number 0x1950a86a20f9469cfc6c as a pickle of its own, with which older files begin.
constexpr std::array<unsigned char, 14> kOldSignature = {
    0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};

bool isOldFile(std::span<const std::byte> bytes) {
  return bytes.size() >= kOldSignature.size() &&
         std::equal(
             kOldSignature.begin(),
             kOldSignature.end(),
             bytes.begin(),
             [](unsigned char expected, std::byte found) { return std::byte{expected} == found; });
}

struct StorageType {
  std::string_view name;
  DType dtype;
};

constexpr std::array<StorageType, 11> kStorageTypes = {{
    {"torch.FloatStorage", DType::F32},
    {"torch.DoubleStorage", DType::F64},
    {"torch.HalfStorage", DType::F16},
    {"torch.BFloat16Storage", DType::BF16},
    {"torch.LongStorage", DType::I64},
    {"torch.IntStorage", DType::I32},
    {"torch.ShortStorage", DType::I16},
    {"torch.CharStorage", DType::I8},
    {"torch.ByteStorage", DType::U8},
    {"torch.BoolStorage", DType::BOOL},
    {"torch.ComplexFloatStorage", DType::C64},
}};

/// A tensor's elements within a storage of the archive.
struct StridedTensor {
  DType dtype = DType::F32;
  std::uint64_t elementBytes = 0;
  std::span<const std::byte> storage;
  std::uint64_t offset = 0;  ///< Elements.
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> strides;  ///< Elements.
  std::uint64_t bytes = 0;             ///< Of the copy.

  bool isRowMajor() const {
    std::uint64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (shape[i] != 1 && strides[i] != expected) return false;
      expected *= static_cast<std::uint64_t>(shape[i]);
    }
    return true;
  }

  void copyTo(std::byte* target) const {
    if (bytes == 0) return;
    const std::byte* source = storage.data() + offset * elementBytes;
    if (isRowMajor()) {
      std::copy_n(source, bytes, target);
      return;
    }
    std::vector<std::int64_t> index(shape.size(), 0);
    std::uint64_t element = 0;
    for (std::byte* to = target; to != target + bytes; to += elementBytes) {
      std::copy_n(source + element * elementBytes, elementBytes, to);
      for (std::size_t i = shape.size(); i-- > 0;) {
        element += strides[i];
        if (++index[i] < shape[i]) break;
        element -= strides[i] * static_cast<std::uint64_t>(shape[i]);
        index[i] = 0;
      }
    }
  }
};

/// Reads the tensors that a pickle describes from the archive's members.
class StateDictReader {
 public:
  StateDictReader(const Members& members,
                  std::string root,
                  const PickledValues& values,
                  const std::string& place)
      : members_(members), root_(std::move(root)), values_(values), place_(place) {}

  SafeTensors read(std::uint64_t fileBytes) const {
    std::vector<std::pair<std::string, StridedTensor>> tensors;
    std::uint64_t sum = 0;
    for (const auto& [name, index] : namedTensors(dictionaryOfTensors())) {
      tensors.emplace_back(name, stridedTensor(values_[index], place_ + ", tensor " + name));
      sum += tensors.back().second.bytes;
      if (sum > kMaxGrowth * fileBytes) {
        throw Error(place_, "has tensors that are more than four times the file", kDamagedPickle);
      }
    }
    return copied(tensors, sum);
  }

 private:
  const PickledValue& item(const PickledValue& value, std::size_t i) const {
    return values_[value.items[i]];
  }

  static SafeTensors copied(const std::vector<std::pair<std::string, StridedTensor>>& tensors,
                            std::uint64_t bytes) {
    SafeTensors file;
    auto storage = std::make_shared<std::vector<std::byte>>(bytes);
    std::size_t at = 0;
    for (const auto& [name, tensor] : tensors) {
      tensor.copyTo(storage->data() + at);
      file.tensors.push_back(
          {name, tensor.dtype, tensor.shape, std::span(*storage).subspan(at, tensor.bytes)});
      at += tensor.bytes;
    }
    file.storage = std::move(storage);
    return file;
  }

  bool hasTensors(const PickledValue& dictionary) const {
    return std::any_of(dictionary.entries.begin(), dictionary.entries.end(), [&](const auto& pair) {
      return values_[pair.second].kind == PickleKind::tensor;
    });
  }

  const PickledValue& dictionaryOfTensors() const {
    const PickledValue& whole = values_[values_.result];
    if (whole.kind == PickleKind::dictionary) {
      if (hasTensors(whole)) return whole;
      for (const std::string_view key : {"state_dict", "model", "model_state_dict", "model_ema"}) {
        for (const auto& [name, index] : whole.entries) {
          const PickledValue& value = values_[index];
          if (values_[name].text == key && value.kind == PickleKind::dictionary &&
              hasTensors(value)) {
            return value;
          }
        }
      }
    }
    throw Error(place_,
                "has no state dictionary: neither the file nor its entry \"state_dict\", "
                "\"model\", \"model_state_dict\" or \"model_ema\" is one",
                kSaveStateDict);
  }

  /// The last tensor of each name, in the order of the names' first appearance.
  std::vector<std::pair<std::string, PickleIndex>> namedTensors(
      const PickledValue& dictionary) const {
    std::vector<std::pair<std::string, PickleIndex>> tensors;
    std::map<std::string_view, std::size_t> known;
    for (const auto& [name, index] : dictionary.entries) {
      const PickledValue& key = values_[name];
      if (key.kind != PickleKind::text || key.text.empty()) {
        throw Error(place_, "has an entry of the state dictionary without a name", kSaveStateDict);
      }
      if (values_[index].kind != PickleKind::tensor) {
        throw Error(place_, "has the entry " + key.text + ", which is no tensor", kSaveStateDict);
      }
      const auto [at, isNew] = known.emplace(key.text, tensors.size());
      if (isNew) {
        tensors.emplace_back(key.text, index);
      } else {
        tensors[at->second].second = index;
      }
    }
    return tensors;
  }

  std::uint64_t whole(const PickledValue& value, const std::string& place) const {
    if (value.kind != PickleKind::integer || value.integer < 0) {
      throw Error(place, "has a size, stride or offset that is not a whole number", kDamagedPickle);
    }
    return static_cast<std::uint64_t>(value.integer);
  }

  void readStorage(StridedTensor& tensor,
                   const PickledValue& storage,
                   const std::string& place) const {
    const std::string& type = item(storage, 1).text;
    const auto* known = std::find_if(kStorageTypes.begin(),
                                     kStorageTypes.end(),
                                     [&](const StorageType& each) { return each.name == type; });
    if (known == kStorageTypes.end()) {
      throw Error(place, "has the element type " + type + ", which is not read", kSaveStateDict);
    }
    tensor.dtype = known->dtype;
    const std::array<std::int64_t, 1> one = {1};
    tensor.elementBytes = *tensorBytes(tensor.dtype, one);
    const std::string member = root_ + "/data/" + item(storage, 2).text;
    const auto found = members_.find(member);
    if (found == members_.end()) {
      throw Error(place, "has no values: the archive lacks " + member, kDamagedPickle);
    }
    const std::uint64_t elements = whole(item(storage, 4), place);
    if (found->second.size() % tensor.elementBytes != 0 ||
        found->second.size() / tensor.elementBytes != elements) {
      throw Error(place,
                  "has " + std::to_string(found->second.size()) + " bytes in " + member + " for " +
                      std::to_string(elements) + " elements",
                  kDamagedPickle);
    }
    tensor.storage = found->second;
  }

  StridedTensor stridedTensor(const PickledValue& value, const std::string& place) const {
    const PickledValue& storage = item(value, 0);
    const PickledValue& sizes = item(value, 2);
    const PickledValue& strides = item(value, 3);
    if (storage.kind != PickleKind::storage || sizes.kind != PickleKind::tuple ||
        strides.kind != PickleKind::tuple || sizes.items.size() != strides.items.size()) {
      throw Error(place, "is not described by a storage, sizes and strides", kDamagedPickle);
    }
    if (sizes.items.size() > kMaxRank)
      throw Error(place, "has more than 64 dimensions", kDamagedPickle);
    StridedTensor tensor;
    readStorage(tensor, storage, place);
    tensor.offset = whole(item(value, 1), place);
    for (std::size_t i = 0; i < sizes.items.size(); ++i) {
      tensor.shape.push_back(static_cast<std::int64_t>(whole(item(sizes, i), place)));
      tensor.strides.push_back(whole(item(strides, i), place));
    }
    checkWithin(tensor, place);
    return tensor;
  }

  /// Refuses a tensor with an element outside its storage, and one with more elements than it.
  void checkWithin(StridedTensor& tensor, const std::string& place) const {
    const std::uint64_t elements = tensor.storage.size() / tensor.elementBytes;
    const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
    bool fits = bytes && *bytes <= tensor.storage.size() && tensor.offset <= elements;
    if (fits && *bytes > 0) {
      std::uint64_t left = elements - tensor.offset;
      fits = left > 0;
      if (fits) left -= 1;
      for (std::size_t i = 0; fits && i < tensor.shape.size(); ++i) {
        const auto steps = static_cast<std::uint64_t>(tensor.shape[i] - 1);
        fits = steps == 0 || tensor.strides[i] <= left / steps;
        if (fits) left -= steps * tensor.strides[i];
      }
    }
    if (!fits)
      throw Error(place, "reaches beyond the values that the file has for it", kDamagedPickle);
    tensor.bytes = *bytes;
  }

  const Members& members_;
  std::string root_;
  const PickledValues& values_;
  const std::string& place_;
};

/// The folder in the archive in which everything lies: the one with the description.
std::string rootOf(const Members& members, const std::string& place) {
  std::optional<std::string> root;
  for (const auto& [name, content] : members) {
    if (!name.ends_with(kDescription)) continue;
    std::string folder = name.substr(0, name.size() - std::string_view(kDescription).size());
    if (folder.find('/') != std::string::npos) continue;
    if (root) throw Error(place, "has more than one data.pkl", kDamagedPickle);
    root = std::move(folder);
  }
  if (!root) {
    throw Error(
        place, "is a zip archive without data.pkl, not a file of torch.save()", kSaveStateDict);
  }
  return *root;
}

void checkKind(const Members& members, const std::string& root, const std::string& place) {
  if (members.contains(root + "/constants.pkl")) {
    throw Error(place, "is a TorchScript program, not a state dictionary", kSaveStateDict);
  }
  const auto order = members.find(root + "/byteorder");
  if (order == members.end()) return;
  const std::string_view text(reinterpret_cast<const char*>(order->second.data()),
                              order->second.size());
  if (text != "little") {
    throw Error(place,
                "was saved with big-endian numbers",
                "Save it on a machine with little-endian numbers.");
  }
}

}  // namespace

bool looksLikeStateDict(std::span<const std::byte> bytes) {
  return looksLikeZip(bytes) || isOldFile(bytes);
}

SafeTensors parseStateDict(std::span<const std::byte> bytes, const std::string& place) {
  if (isOldFile(bytes)) {
    throw Error(place,
                "was saved by PyTorch before version 1.6, or in its format",
                "Load it in PyTorch and save it again with torch.save().");
  }
  if (!looksLikeZip(bytes)) {
    throw Error(place,
                "is not a file of torch.save(): it does not begin as a zip archive",
                "Choose a .pt or .pth file that PyTorch saved, or a safetensors file.");
  }
  return tensorsOfMembers(readStoredZip(bytes, place), bytes.size(), place);
}

SafeTensors tensorsOfMembers(const Members& members,
                             std::uint64_t archiveBytes,
                             const std::string& place) {
  const std::string root = rootOf(members, place);
  checkKind(members, root, place);
  const PickledValues values =
      readPickle(members.at(root + kDescription), place + "/" + root + kDescription);
  return StateDictReader(members, root, values, place).read(archiveBytes);
}

SafeTensors readStateDict(const std::filesystem::path& path) {
  FileReader reader(path);
  std::vector<std::byte> bytes(reader.size());
  reader.readExactly(bytes);
  return parseStateDict(bytes, path.string());
}

}  // namespace lambda
