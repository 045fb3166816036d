#include "engine/formats/inspection/lesion_files.h"

#include "engine/formats/inspection/inspection_folder.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

Json scoreJson(const LesionScore& score) {
  const Lesion& lesion = score.lesion;
  const bool isNumbered = lesion.part != LesionPart::content && lesion.part != LesionPart::position;
  return {{"part", nameOf(lesion.part)},
          {"number", isNumbered ? Json(lesion.number) : Json(nullptr)},
          {"accuracy", score.scores.score},
          {"loss", score.scores.loss},
          {"difference", score.difference},
          {"interval", {score.interval.low, score.interval.high}},
          {"changed", score.changed},
          {"lost", score.lost},
          {"gained", score.gained}};
}

}  // namespace

Json lesionsJson(const LesionTable& table) {
  Json json{{"checkpoint", table.checkpoint},
            {"epoch", table.epoch},
            {"step", table.step},
            {"layer", table.layer.empty() ? Json(nullptr) : Json(table.layer)},
            {"split", nameOf(table.split)},
            {"images", table.images},
            {"uncut", {{"accuracy", table.uncut.score}, {"loss", table.uncut.loss}}},
            {"lesions", Json::array()}};
  for (const LesionScore& score : table.lesions) json["lesions"].push_back(scoreJson(score));
  return json;
}

std::vector<std::string> writeLesions(const std::filesystem::path& folder,
                                      const LesionTable& table,
                                      FileSystem& system) {
  FloatTable rows{"lesion",
                  {},
                  {"accuracy", "loss", "difference", "low", "high", "changed", "lost", "gained"},
                  {}};
  const auto add = [&](const std::string& name, const LesionScore& score) {
    rows.rows.push_back(name);
    for (const double value : {score.scores.score,
                               score.scores.loss,
                               score.difference,
                               score.interval.low,
                               score.interval.high,
                               static_cast<double>(score.changed),
                               static_cast<double>(score.lost),
                               static_cast<double>(score.gained)}) {
      rows.values.push_back(static_cast<float>(value));
    }
  };
  add("uncut", {.scores = table.uncut});
  for (const LesionScore& score : table.lesions) add(textOf(score.lesion), score);
  InspectionFolder files(folder, system);
  files.table("lesions", rows);
  return files.finish(lesionsJson(table));
}

}  // namespace lambda
