#include "engine/layers/lambda/seen_context.h"

#include <string>

#include "engine/values/architecture/mixers/lambda_mask.h"

namespace lambda {

namespace {

at::Tensor causalMask(std::int64_t positions) {
  return at::ones({positions, positions}, at::kBool).tril();
}

at::Tensor customMask(const LambdaMixer& mixer, std::int64_t mapHeight, std::int64_t mapWidth) {
  const std::string fault =
      maskFault(mixer, {1, static_cast<int>(mapHeight), static_cast<int>(mapWidth)});
  TORCH_CHECK(fault.empty(), "lambda layer: ", fault);
  const std::int64_t positions = mapHeight * mapWidth;
  const std::vector<std::string_view> rows = maskRowsOf(mixer);
  const at::Tensor mask = at::empty({std::ssize(rows), positions}, at::kBool);
  bool* sees = mask.mutable_data_ptr<bool>();
  for (const std::string_view row : rows) {
    for (const char c : row) *sees++ = c == '1';
  }
  return mask.expand({positions, positions}).contiguous();
}

}  // namespace

SeenContext::OfMap& SeenContext::madeFor(std::int64_t mapHeight,
                                         std::int64_t mapWidth,
                                         const at::Device& device) {
  return made_[{mapHeight, mapWidth, device.str()}];
}

at::Tensor SeenContext::mask(std::int64_t mapHeight,
                             std::int64_t mapWidth,
                             const at::Device& device) {
  at::Tensor& mask = madeFor(mapHeight, mapWidth, device).mask;
  if (!mask.defined()) {
    mask = (mixer_.mask == ContextMask::custom ? customMask(mixer_, mapHeight, mapWidth)
                                               : causalMask(mapHeight * mapWidth))
               .to(device);
  }
  return mask;
}

TableRows SeenContext::tableRows(PositionEmbeddingTable& table,
                                 std::int64_t mapHeight,
                                 std::int64_t mapWidth) {
  if (!isMasked()) return table->tableRows(mapHeight, mapWidth);
  const at::Device device = table->table.device();
  TableRows& rows = madeFor(mapHeight, mapWidth, device).rows;
  if (!rows.pairRows.defined()) {
    rows.pairRows = table->pairRows(mapHeight, mapWidth)
                        .masked_fill(mask(mapHeight, mapWidth, device).logical_not(), -1);
    if (!device.is_cpu()) rows.index = pairIndexOf(rows.pairRows, table->table.size(0));
  }
  return rows;
}

at::Tensor SeenContext::embeddings(PositionEmbeddingTable& table,
                                   std::int64_t mapHeight,
                                   std::int64_t mapWidth,
                                   std::int64_t head) {
  const at::Tensor all = table->expand(mapHeight, mapWidth, head);
  if (!isMasked()) return all;
  const at::Tensor hidden =
      mask(mapHeight, mapWidth, all.device()).logical_not().unsqueeze(2).unsqueeze(3);
  const std::int64_t positions = mapHeight * mapWidth;
  return all.view({positions, positions, -1, all.size(2)}).masked_fill(hidden, 0).view(all.sizes());
}

at::Tensor SeenContext::embeddingsOfQuery(PositionEmbeddingTable& table,
                                          std::int64_t query,
                                          std::int64_t mapHeight,
                                          std::int64_t mapWidth,
                                          std::int64_t head) {
  const at::Tensor all = table->expandQuery(query, mapHeight, mapWidth, head);
  if (!isMasked()) return all;
  const at::Tensor hidden =
      mask(mapHeight, mapWidth, all.device())[query].logical_not().unsqueeze(1).unsqueeze(2);
  return all.view({mapHeight * mapWidth, -1, all.size(1)}).masked_fill(hidden, 0).view(all.sizes());
}

}  // namespace lambda
