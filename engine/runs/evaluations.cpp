#include "engine/runs/evaluations.h"

#include <algorithm>
#include <unistd.h>

#include "engine/formats/files/file_system.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runtime/error.h"
#include "engine/runtime/utc_time.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

class AppendedFile {
 public:
  explicit AppendedFile(const fs::path& path)
      : path_(path), file_(openToAppend(FileSystem::real(), path)) {}

  ~AppendedFile() { ::close(file_); }

  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Appends the line. First ends an incomplete line that an earlier writer left.
  void append(std::string line) {
    char last = '\n';
    const off_t size = ::lseek(file_, 0, SEEK_END);
    if (size > 0 && ::pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
      line.insert(0, 1, '\n');
    }
    FileSystem& system = FileSystem::real();
    writeAll(system, file_, line.data(), line.size(), path_);
    syncFile(system, file_, path_);
  }

 private:
  fs::path path_;
  int file_ = -1;
};

}  // namespace

int testEvaluationsOf(const RunFolder& folder, const RunRecord& record) {
  const Evaluations evaluations = readEvaluations(folder.evaluations());
  const auto tests = std::count_if(
      evaluations.records.begin(), evaluations.records.end(), [](const EvaluationRecord& each) {
        return each.split == Split::test && each.data.empty();
      });
  return record.testEvaluations + static_cast<int>(tests);
}

KeptEvaluation keepEvaluation(const fs::path& checkpoint, EvaluationRecord record) {
  const int own = record.split == Split::test && record.data.empty() ? 1 : 0;
  const fs::path run = fs::absolute(checkpoint).lexically_normal().parent_path().parent_path();
  std::error_code missing;
  if (!fs::exists(run / "run.json", missing)) return {.testEvaluations = own};
  int earlier = 0;
  try {
    const RunFolder folder = RunFolder::open(run);
    std::vector<Problem> warnings;
    earlier = testEvaluationsOf(folder, readRunRecord(folder.record(), warnings));
    requireNoCopy(folder);
    record.time = utcTime();
    record.checkpoint = checkpoint.filename().string();
    AppendedFile(folder.evaluations()).append(toLine(record));
    return {.testEvaluations = earlier + own};
  } catch (const Error& error) {
    return {.testEvaluations = earlier + own, .problem = error.what()};
  }
}

}  // namespace lambda
