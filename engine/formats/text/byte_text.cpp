#include "engine/formats/text/byte_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "engine/formats/files/file_system.h"
#include "engine/formats/files/folder_search.h"
#include "engine/formats/image_folder/picture_layout.h"
#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kWholeBytes = 8 << 20;  // Files up to this size are looked at whole.
constexpr std::uint64_t kFirstBytes = 1 << 20;
constexpr std::uint64_t kSampleBytes = 64 << 10;
constexpr std::uint64_t kSamples = 64;
constexpr std::size_t kMostOpen = 256;
constexpr std::size_t kMostFiles = 1'000'000;
constexpr const char* kHint =
    "Name a file of plain text, or a folder of them: unpack archives, and convert text in other "
    "encodings, for example with iconv -t UTF-8.";

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The bytes of a file that are looked at.
std::vector<Range> samplesOf(std::uint64_t size) {
  if (size <= kWholeBytes) return {{0, size}};
  std::vector<Range> samples{{0, kFirstBytes}};
  const std::uint64_t last = size - kSampleBytes;
  for (std::uint64_t i = 1; i < kSamples; ++i) {
    const std::uint64_t begin = last / kSamples * i;
    samples.push_back({begin, begin + kSampleBytes});
  }
  samples.push_back({last, size});
  return samples;
}

/// Whether the bytes, up to three, begin a character that is not complete.
bool isCutCharacter(std::string_view bytes) {
  // Every first byte that needs others may be followed by the beginning of one of these.
  constexpr std::string_view kCompletions[] = {"\x80\x80\x80", "\xa0\x80\x80"};
  if (bytes.size() > 3) return false;
  for (const std::string_view completion : kCompletions) {
    for (std::size_t count = 1; count <= completion.size(); ++count) {
      if (isUtf8(std::string(bytes) + std::string(completion.substr(0, count)))) return true;
    }
  }
  return false;
}

bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Why a sample is not text; empty where it is. `offset`: of the sample in the file.
std::string defectOf(std::string_view sample, std::uint64_t offset) {
  if (const std::size_t nul = sample.find('\0'); nul != std::string_view::npos) {
    return "has a NUL byte at offset " + std::to_string(offset + nul);
  }
  // A sample may begin and end within a character.
  std::size_t begin = 0;
  while (offset > 0 && begin < 3 && begin < sample.size() && isContinuation(sample[begin])) ++begin;
  const std::string_view text = sample.substr(begin);
  const std::size_t valid = utf8Beginning(text).size();
  if (valid == text.size() || isCutCharacter(text.substr(valid))) return {};
  return "is not UTF-8 at offset " + std::to_string(offset + begin + valid);
}

std::int64_t lineEndsOfTwoBytes(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos;
       at = text.find("\r\n", at + 2)) {
    ++count;
  }
  return count;
}

/// What is seen in a file.
struct Look {
  std::string defect;  ///< Why it is not text; empty where it is.
  bool hasMark = false;
  std::int64_t lineEndsOfTwoBytes = 0;  ///< In the bytes that were looked at.
  bool isWhole = true;                  ///< Whether these are all.
};

Look lookAt(const FileReader& file) {
  Look look;
  look.isWhole = file.size() <= kWholeBytes;
  std::string sample;
  for (const Range& range : samplesOf(file.size())) {
    sample.resize(range.end - range.begin);
    file.readExactlyAt(range.begin, std::as_writable_bytes(std::span(sample)));
    look.defect = defectOf(sample, range.begin);
    if (!look.defect.empty()) break;
    look.hasMark |= range.begin == 0 && sample.starts_with(kByteOrderMark);
    look.lineEndsOfTwoBytes += lineEndsOfTwoBytes(sample);
  }
  return look;
}

/// Lists the files in a folder and below.
class Walk {
 public:
  Walk(fs::path root, PassedOver& passedOver) : root_(std::move(root)), passedOver_(passedOver) {}

  /// Relative to the folder, in the order of the text. Throws Error if a folder can't be listed.
  std::vector<fs::path> run() {
    addFolder({});
    std::ranges::sort(found_, {}, &Found::path);
    std::set<std::pair<dev_t, ino_t>> known;
    std::vector<fs::path> files;
    for (Found& file : found_) {
      if (known.emplace(file.device, file.inode).second) {
        files.push_back(std::move(file.path));
      } else {
        passedOver_.add("repeated file", file.path, "It is a link to a file that is read already.");
      }
    }
    return files;
  }

 private:
  struct Found {
    fs::path path;
    dev_t device;
    ino_t inode;
  };

  void addFolder(const fs::path& folder) {
    const fs::path place = folder.empty() ? root_ : root_ / folder;
    if (!chain_.enter(place)) return passedOver_.add("circular link", folder);
    std::error_code code;
    for (fs::directory_iterator entry(place, code), end; !code && entry != end;
         entry.increment(code)) {
      add(folder / entry->path().filename());
    }
    if (code) throw systemError(place, "cannot list the folder", code.value());
    chain_.leave();
  }

  void add(const fs::path& path) {
    struct stat facts = {};
    const bool isThere = ::stat((root_ / path).c_str(), &facts) == 0;
    const bool isFolder = isThere && S_ISDIR(facts.st_mode);
    if (isLeftBehind(path))
      return passedOver_.add(isFolder ? "hidden folder" : "hidden file", path);
    if (!isThere) return passedOver_.add("broken link", path);
    if (isFolder) return addFolder(path);
    if (!S_ISREG(facts.st_mode)) return passedOver_.add("special file", path);
    if (found_.size() == kMostFiles) {
      throw Error(root_.string(),
                  "has more than " + formatCount(kMostFiles) + " files",
                  "Join them into fewer files.");
    }
    found_.push_back({path, facts.st_dev, facts.st_ino});
  }

  fs::path root_;
  PassedOver& passedOver_;
  FolderChain chain_;
  std::vector<Found> found_;
};

bool isTextByBeginning(const fs::path& path) {
  if (path.extension() == ".txt" || path.extension() == ".md") return true;
  if (path.extension() == ".json") return false;
  const FileReader file(path);
  std::string beginning(std::min<std::uint64_t>(file.size(), kSampleBytes), '\0');
  file.readExactlyAt(0, std::as_writable_bytes(std::span(beginning)));
  return !beginning.empty() && defectOf(beginning, 0).empty();
}

}  // namespace

/// Opens a text file by file.
class ByteText::Opening {
 public:
  explicit Opening(const fs::path& path) { text_.path_ = path; }

  ByteText ofFile() {
    auto file = std::make_unique<const FileReader>(text_.path_);
    const Look look = lookAt(*file);
    if (!look.defect.empty()) {
      throw Error(text_.path_.string(), look.defect + ": this is not text", kHint);
    }
    if (!add(std::move(file), look)) {
      throw Error(text_.path_.string(), "is empty", "Name a file with text.");
    }
    return finished();
  }

  ByteText ofFolder() {
    for (const fs::path& name : Walk(text_.path_, passedOver_).run()) {
      auto file = std::make_unique<const FileReader>(text_.path_ / name);
      const Look look = lookAt(*file);
      if (!look.defect.empty()) {
        passedOver_.addFile(name, name.string() + " " + look.defect + ", so that it is not text.");
      } else if (!add(std::move(file), look)) {
        passedOver_.add("empty file", name);
      }
    }
    if (text_.parts_.empty()) {
      const std::string others = passedOver_.summary();
      throw Error(
          text_.path_.string(), "holds no text" + (others.empty() ? "" : ", but " + others), kHint);
    }
    return finished();
  }

 private:
  /// Where something was seen, of all files.
  struct Sightings {
    std::int64_t files = 0;
    fs::path first;

    void add(const fs::path& file) {
      if (files++ == 0) first = file;
    }
  };

  /// False, and it is not added, if the file has no text.
  bool add(std::unique_ptr<const FileReader> file, const Look& look) {
    const std::uint64_t skipped = look.hasMark ? kByteOrderMark.size() : 0;
    if (file->size() == skipped) return false;
    const std::uint64_t begin = text_.parts_.empty() ? 0 : text_.size();
    const std::uint64_t end = begin + file->size() - skipped;
    if (look.hasMark) marks_.add(file->path());
    if (look.lineEndsOfTwoBytes > 0) {
      twoBytes_.add(file->path());
      lineEnds_ += look.lineEndsOfTwoBytes;
      countsAll_ &= look.isWhole;
    }
    fs::path path = file->path();
    if (text_.parts_.size() >= kMostOpen) file.reset();
    text_.parts_.push_back({std::move(path), begin, end, skipped, std::move(file)});
    return true;
  }

  void note(const Sightings& seen, const std::string& text, std::string hint) {
    if (seen.files == 0) return;
    const std::string name = seen.first.lexically_relative(text_.path_).string();
    const std::string where =
        seen.first == text_.path_ ? ""
        : seen.files == 1         ? " (in " + name + ")"
                          : " (in " + formatCounted(seen.files, "file") + ", such as " + name + ")";
    text_.findings_.push_back(
        {Severity::warning, text_.path_.string(), text + where, std::move(hint)});
  }

  ByteText finished() {
    note(twoBytes_,
         (countsAll_ ? "" : "at least ") + formatCounted(lineEnds_, "line end") +
             (lineEnds_ == 1 ? " is" : " are") + " CR LF, which counts as two bytes",
         "To learn line ends of one byte, convert the text, for example with dos2unix.");
    note(marks_, "the byte order mark at the start is left out of the text", {});
    passedOver_.addTo(text_.findings_, text_.path_);
    return std::move(text_);
  }

  ByteText text_;
  PassedOver passedOver_;
  Sightings marks_;
  Sightings twoBytes_;
  std::int64_t lineEnds_ = 0;
  bool countsAll_ = true;
};

ByteText ByteText::open(const fs::path& path) {
  return isFolder(path) ? Opening(path).ofFolder() : Opening(path).ofFile();
}

void ByteText::copy(std::uint64_t offset, std::span<std::uint8_t> out) const {
  if (offset > size() || out.size() > size() - offset) {
    throw Error(path_.string(),
                std::to_string(out.size()) + " bytes from " + std::to_string(offset) +
                    " on are not within the " + std::to_string(size()) + " bytes of the text");
  }
  auto part = std::ranges::upper_bound(parts_, offset, {}, &Part::end);
  for (; !out.empty(); ++part) {
    const std::size_t count = std::min<std::uint64_t>(out.size(), part->end - offset);
    const auto bytes = std::as_writable_bytes(out.first(count));
    const std::uint64_t position = part->skipped + offset - part->begin;
    if (part->open) {
      part->open->readExactlyAt(position, bytes);
    } else {
      FileReader(part->file).readExactlyAt(position, bytes);
    }
    out = out.subspan(count);
    offset += count;
  }
}

bool holdsText(const fs::path& path) {
  if (!isFolder(path)) return isTextByBeginning(path);
  if (holdsPicture(path, /*alsoUnread=*/true)) return false;
  PassedOver ignored;
  const std::vector<fs::path> names = Walk(path, ignored).run();
  return std::ranges::any_of(names,
                             [&](const fs::path& name) { return isTextByBeginning(path / name); });
}

}  // namespace lambda
