#include "app/session/runs/lacking_images.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Whether the validation images are those of a folder of the data, whatever their number.
bool hasOwnValidation(const DataSource& source) {
  const auto validates = [](const auto& options) {
    if constexpr (requires { options.validation; }) {
      return options.validation == ValidationPictures::folder;
    }
    return false;
  };
  return std::visit(validates, source);
}

}  // namespace

bool isKnownToLack(const RunRecord& record, Split split) {
  const DataConfig& data = record.config.data;
  if (split == Split::validation)
    return data.validationCount == 0 && !hasOwnValidation(data.source);
  if (split != Split::test) return false;
  // A training scores the test images at its end, where there are some.
  if (record.status == RunStatus::finished && !record.testScore) return true;
  const auto info = announcedInfo(data.source);
  return info && info->testCount == 0;
}

QString lackingText(Split split) {
  return u"The data of this run have no %1 images."_s.arg(split == Split::test ? u"test"_s
                                                                               : u"validation"_s);
}

}  // namespace lambda
