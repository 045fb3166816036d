#include "engine/formats/pytorch/state_dict.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kMaxRank = 64;
constexpr std::uint64_t kMaxGrowth = 4;
constexpr const char* kDescription = "/data.pkl";
constexpr const char* kBigEndian = "was saved with big-endian numbers";
constexpr const char* kBigEndianHint = "Save it on a machine with little-endian numbers.";

/// Dictionaries within each other on the way to the tensors.
constexpr int kMostNested = 4;

/// The entries of a checkpoint that hold its weights: first those of a moving average.
constexpr std::array<std::string_view, 13> kWeightEntries = {"state_dict_ema",
                                                             "ema_state_dict",
                                                             "model_ema",
                                                             "params_ema",
                                                             "ema",
                                                             "state_dict",
                                                             "model_state_dict",
                                                             "model_state",
                                                             "model",
                                                             "module",
                                                             "net",
                                                             "params",
                                                             "weights"};

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

DType elementTypeOf(const std::string& storage, const std::string& place) {
  const auto* known = std::find_if(kStorageTypes.begin(),
                                   kStorageTypes.end(),
                                   [&](const StorageType& each) { return each.name == storage; });
  if (known == kStorageTypes.end()) {
    throw Error(place, "has the element type " + storage + ", which is not read", kSaveStateDict);
  }
  return known->dtype;
}

std::uint64_t bytesOf(DType dtype) {
  const std::array<std::int64_t, 1> one = {1};
  return *tensorBytes(dtype, one);
}

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

  StateDict read(std::uint64_t fileBytes) {
    const Place found = dictionaryOfTensors();
    std::vector<std::pair<std::string, StridedTensor>> tensors;
    std::uint64_t sum = 0;
    for (const auto& [name, index] : namedTensors(values_[found.index])) {
      tensors.emplace_back(name, stridedTensor(values_[index], place_ + ", tensor " + name));
      sum += tensors.back().second.bytes;
      if (sum > kMaxGrowth * fileBytes) {
        throw Error(place_, "has tensors that are more than four times the file", kDamagedPickle);
      }
    }
    return {copied(tensors, sum), found.entry};
  }

 private:
  /// A dictionary, and the keys that lead to it: "model.state_dict".
  struct Place {
    PickleIndex index = 0;
    std::string entry;
  };

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

  bool isNamedTensor(const std::pair<PickleIndex, PickleIndex>& entry) const {
    const PickledValue& key = values_[entry.first];
    return key.kind == PickleKind::text && !key.text.empty() &&
           values_[entry.second].kind == PickleKind::tensor;
  }

  /// Whether a value is a dictionary of tensors alone.
  bool isStateDict(PickleIndex index) {
    const auto [known, isNew] = isStateDict_.emplace(index, false);
    if (isNew) {
      const auto& entries = values_[index].entries;
      known->second =
          !entries.empty() && std::all_of(entries.begin(), entries.end(), [&](const auto& each) {
            return isNamedTensor(each);
          });
    }
    return known->second;
  }

  std::string keyText(PickleIndex key) const {
    return values_[key].kind == PickleKind::text ? values_[key].text : "without a name";
  }

  static std::string within(const std::string& entry, std::string_view key) {
    return entry.empty() ? std::string(key) : entry + "." + std::string(key);
  }

  /// The state dictionary in a value: in an entry that usually has it, the value itself, or the
  /// only entry that is one. Nothing: `obstacle_` then says what was in the way. Each value is
  /// visited once, so that a hostile file can't make the search long.
  std::optional<Place> stateDictIn(const Place& at, int depth) {
    if (depth > kMostNested || !visited_.insert(at.index).second) return std::nullopt;
    const auto& entries = values_[at.index].entries;
    for (const std::string_view usual : kWeightEntries) {
      for (const auto& [key, index] : entries) {
        if (values_[key].text != usual) continue;
        const Place inner{index, within(at.entry, usual)};
        if (const std::optional<Place> found = stateDictIn(inner, depth + 1)) return found;
      }
    }
    if (isStateDict(at.index)) return at;
    std::vector<Place> others;
    for (const auto& [key, index] : entries) {
      if (isStateDict(index)) others.push_back({index, within(at.entry, keyText(key))});
    }
    if (others.size() == 1) return others.front();
    if (obstacle_.empty()) obstacle_ = obstacleIn(at, others);
    return std::nullopt;
  }

  std::string obstacleIn(const Place& at, const std::vector<Place>& several) const {
    const PickledValue& value = values_[at.index];
    const std::string subject = at.entry.empty() ? "it" : "its entry " + at.entry;
    if (several.size() > 1) {
      return several[0].entry + " and " + several[1].entry + " are both dictionaries of tensors";
    }
    if (value.kind == PickleKind::object || value.kind == PickleKind::global) {
      return subject + " is made by " + value.text + "; nothing was executed";
    }
    const bool hasTensors = std::any_of(value.entries.begin(),
                                        value.entries.end(),
                                        [&](const auto& each) { return isNamedTensor(each); });
    for (const auto& [key, index] : value.entries) {
      if (!hasTensors || isNamedTensor({key, index})) continue;
      const std::string maker = values_[index].kind == PickleKind::object
                                    ? ": it is made by " + values_[index].text
                                    : std::string();
      return "its entry " + within(at.entry, keyText(key)) + " is no tensor that is read" + maker;
    }
    return {};
  }

  Place dictionaryOfTensors() {
    if (const std::optional<Place> found = stateDictIn({values_.result, {}}, 0)) return *found;
    if (obstacle_.empty()) {
      obstacle_ = "neither the file nor an entry such as \"state_dict\" or \"model\" is one";
    }
    throw Error(place_, "has no state dictionary: " + obstacle_, kSaveStateDict);
  }

  /// The last tensor of each name, in the order of the names' first appearance.
  std::vector<std::pair<std::string, PickleIndex>> namedTensors(
      const PickledValue& dictionary) const {
    std::vector<std::pair<std::string, PickleIndex>> tensors;
    std::map<std::string_view, std::size_t> known;
    for (const auto& [name, index] : dictionary.entries) {
      const PickledValue& key = values_[name];
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
    tensor.dtype = elementTypeOf(item(storage, 1).text, place);
    tensor.elementBytes = bytesOf(tensor.dtype);
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
  std::map<PickleIndex, bool> isStateDict_;
  std::set<PickleIndex> visited_;
  std::string obstacle_;
};

/// The folder in the archive in which everything lies: the one with the description. A TorchScript
/// program, which has a file that others lack, is refused by name.
std::string rootOf(const std::vector<std::string>& names, const std::string& place) {
  std::optional<std::string> root;
  for (const std::string& name : names) {
    if (name.ends_with("/constants.pkl")) {
      throw Error(place,
                  "is a TorchScript program, not a state dictionary",
                  "Save its tensors alone: "
                  "torch.save(torch.jit.load(FILE).state_dict(), \"weights.pt\").");
    }
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

void checkNumbers(const Members& members, const std::string& root, const std::string& place) {
  const auto order = members.find(root + "/byteorder");
  if (order == members.end()) return;
  const std::string_view text(reinterpret_cast<const char*>(order->second.data()),
                              order->second.size());
  if (text != "little") {
    throw Error(place, kBigEndian, kBigEndianHint);
  }
}

/// A file of torch.save() before version 1.6, in which torchvision still publishes weights: pickles
/// of a mark, a version, the machine, the object and the keys of storages, then the storages.
class OldFile {
 public:
  OldFile(std::span<const std::byte> bytes, const std::string& place)
      : bytes_(bytes), place_(place) {}

  StateDict read() {
    next();
    next();
    requireLittleEndian(next());
    const PickledValues values = next();
    const PickledValues keys = next();
    const std::map<std::string_view, std::uint64_t> sizes = elementBytesIn(values);
    Members members;
    for (const PickleIndex key : keys[keys.result].items) {
      const std::string& name = keys[key].text;
      const auto size = sizes.find(name);
      if (size == sizes.end()) {
        throw Error(place_, "has values that no tensor uses: " + name, kDamagedPickle);
      }
      const std::span<const std::byte> content = storage(size->second, name);
      members[kOldRoot + std::string("/data/") + name].assign(content.begin(), content.end());
    }
    return StateDictReader(members, kOldRoot, values, place_).read(bytes_.size());
  }

 private:
  PickledValues next() {
    PickledValues values = readPickle(bytes_.subspan(at_), place_);
    at_ += values.bytes;
    return values;
  }

  void requireLittleEndian(const PickledValues& machine) const {
    for (const auto& [key, value] : machine[machine.result].entries) {
      if (machine[key].text == "little_endian" && machine[value].integer == 0) {
        throw Error(place_, kBigEndian, kBigEndianHint);
      }
    }
  }

  /// Bytes of an element of each storage that tensors use, by its key.
  std::map<std::string_view, std::uint64_t> elementBytesIn(const PickledValues& values) const {
    std::map<std::string_view, std::uint64_t> sizes;
    for (const PickledValue& value : values.values) {
      if (value.kind != PickleKind::storage) continue;
      const DType dtype = elementTypeOf(values[value.items[1]].text, place_);
      sizes[values[value.items[2]].text] = bytesOf(dtype);
    }
    return sizes;
  }

  std::span<const std::byte> storage(std::uint64_t elementBytes, const std::string& name) {
    std::uint64_t count = 0;
    const bool hasCount = bytes_.size() - at_ >= sizeof count;
    if (hasCount) std::memcpy(&count, bytes_.data() + at_, sizeof count);
    const std::uint64_t left = hasCount ? bytes_.size() - at_ - sizeof count : 0;
    if (!hasCount || count > left / elementBytes) {
      throw Error(place_, "ends within the values of storage " + name, kDamagedPickle);
    }
    const auto size = static_cast<std::size_t>(count * elementBytes);
    const auto content = bytes_.subspan(at_ + sizeof count, size);
    at_ += sizeof count + size;
    return content;
  }

  static constexpr const char* kOldRoot = "archive";

  std::span<const std::byte> bytes_;
  const std::string& place_;
  std::size_t at_ = 0;
};

}  // namespace

bool looksLikeStateDict(std::span<const std::byte> bytes) {
  return looksLikeZip(bytes) || isOldFile(bytes);
}

StateDict parseStateDict(std::span<const std::byte> bytes, const std::string& place) {
  if (isOldFile(bytes)) return OldFile(bytes, place).read();
  if (!looksLikeZip(bytes)) {
    throw Error(place,
                "is not a file of torch.save(): it does not begin as a zip archive",
                "Choose a .pt or .pth file that PyTorch saved, or a safetensors file.");
  }
  // The members of other archives are compressed, so that their kind is found by their names.
  rootOf(namesInZip(bytes, place), place);
  return stateDictOfMembers(readStoredZip(bytes, place), bytes.size(), place);
}

StateDict stateDictOfMembers(const Members& members,
                             std::uint64_t archiveBytes,
                             const std::string& place) {
  std::vector<std::string> names;
  for (const auto& [name, content] : members) names.push_back(name);
  const std::string root = rootOf(names, place);
  checkNumbers(members, root, place);
  const PickledValues values =
      readPickle(members.at(root + kDescription), place + "/" + root + kDescription);
  return StateDictReader(members, root, values, place).read(archiveBytes);
}

StateDict readStateDict(const std::filesystem::path& path) {
  FileReader reader(path);
  std::vector<std::byte> bytes(reader.size());
  reader.readExactly(bytes);
  return parseStateDict(bytes, path.string());
}

}  // namespace lambda
