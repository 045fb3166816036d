#include "engine/runs/test_looks.h"

#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"

namespace fs = std::filesystem;

namespace lambda {

int countTestLook(const fs::path& checkpoint, double accuracy) {
  const fs::path runPath = fs::absolute(checkpoint).parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(runPath / "run.json", error)) return 1;
  const RunFolder folder = RunFolder::open(runPath);
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  ++record.testLooks;
  if (RunLock::isHeld(folder)) return record.testLooks;
  const RunLock lock(folder);
  record.testAccuracy = accuracy;
  writeRunRecord(folder.record(), record);
  return record.testLooks;
}

}  // namespace lambda
