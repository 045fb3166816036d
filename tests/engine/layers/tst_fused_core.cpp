#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/benchmarks/exactness.h"
#include "engine/layers/lambda/fused_core.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "tests/support/lambda_cases.h"

namespace lambda::test {

namespace {

constexpr std::int64_t kBatch = 3, kHeads = 3, kQueryDepth = 5, kValueDepth = 7;
constexpr int kHeight = 3, kWidth = 4, kIntraDepth = 2;
constexpr std::int64_t kPositions = kHeight * kWidth;
constexpr double kTolerance = 2e-6;

/// A memory layout of a tensor. The elements of the storage outside of the tensor are NaN.
struct MemoryLayout {
  std::string name;
  std::function<at::Tensor(const at::Tensor&)> of;
};

at::Tensor filledLike(const at::Tensor& tensor, at::IntArrayRef sizes) {
  return tensor.is_floating_point()
             ? at::full(sizes, std::numeric_limits<float>::quiet_NaN(), tensor.options())
             : at::full(sizes, -1, tensor.options());
}

/// The tensor as every second slice of a larger one, from its second slice on.
at::Tensor everySecond(const at::Tensor& tensor, std::int64_t dim) {
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  sizes[dim] = 2 * sizes[dim] + 1;
  return filledLike(tensor, sizes).slice(dim, 1, std::nullopt, 2).copy_(tensor);
}

/// The tensor as the middle part of a larger one.
at::Tensor sliced(const at::Tensor& tensor, std::int64_t dim) {
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  sizes[dim] += 3;
  return filledLike(tensor, sizes).narrow(dim, 1, tensor.size(dim)).copy_(tensor);
}

at::Tensor atOddAddress(const at::Tensor& tensor) {
  return filledLike(tensor, {tensor.numel() + 1}).slice(0, 1).view(tensor.sizes()).copy_(tensor);
}

at::Tensor reversedDimensions(const at::Tensor& tensor) {
  std::vector<std::int64_t> order;
  for (std::int64_t dim = tensor.dim(); dim-- > 0;) order.push_back(dim);
  return tensor.permute(order).contiguous().permute(order);
}

/// All tested layouts of a tensor with `dimensions` dimensions. Broadcasting changes its values.
std::vector<MemoryLayout> layoutsOf(std::int64_t dimensions) {
  std::vector<MemoryLayout> layouts{{"at an odd address", atOddAddress},
                                    {"reversed", reversedDimensions}};
  for (std::int64_t dim = 0; dim < dimensions; ++dim) {
    const std::string place = " dimension " + std::to_string(dim);
    layouts.push_back(
        {"sliced" + place, [dim](const at::Tensor& tensor) { return sliced(tensor, dim); }});
    layouts.push_back({"every second of" + place,
                       [dim](const at::Tensor& tensor) { return everySecond(tensor, dim); }});
    layouts.push_back({"broadcast" + place, [dim](const at::Tensor& tensor) {
                         return tensor.narrow(dim, 0, 1).expand_as(tensor);
                       }});
    if (dim == 0) continue;
    layouts.push_back({"transposed" + place, [dim](const at::Tensor& tensor) {
                         return tensor.transpose(0, dim).contiguous().transpose(0, dim);
                       }});
  }
  // Channels before pixels, as in maps that are not channels-last.
  if (dimensions > 2) {
    layouts.push_back(
        {"channels first", [](const at::Tensor& tensor) {
           return tensor.flatten(2).transpose(1, 2).contiguous().transpose(1, 2).view_as(tensor);
         }});
  }
  layouts.push_back({"one value", [](const at::Tensor& tensor) {
                       return tensor.flatten()[0].expand_as(tensor);
                     }});
  return layouts;
}

/// The operands of a core and the gradient of its output.
struct Core {
  at::Tensor queries, keys, values, table, tableRows, dy;

  /// y and the gradients of queries, keys, values and table, from new leaves in the same layouts.
  template <class Compute>
  std::vector<at::Tensor> results(const Compute& compute) const {
    const auto leaf = [](const at::Tensor& tensor) {
      return tensor.defined() ? tensor.detach().requires_grad_() : tensor;
    };
    const LambdaOperands operands{leaf(queries), leaf(keys), leaf(values)};
    const at::Tensor embeddings = leaf(table);
    const at::Tensor y = compute(operands, embeddings, tableRows);
    torch::autograd::variable_list inputs;
    for (const at::Tensor& each : {operands.queries, operands.keys, operands.values, embeddings})
      if (each.defined()) inputs.push_back(each);
    std::vector<at::Tensor> all = torch::autograd::grad({y}, inputs, {dy});
    all.push_back(y.detach());
    return all;
  }
};

/// Random operands; `scope` 0 = global. Rows of the table are relative offsets.
Core randomCore(int scope, at::ScalarType type) {
  PositionEmbeddingTable embedding(PositionEmbeddingOptions{.scope = scope,
                                                            .queryDepth = kQueryDepth,
                                                            .intraDepth = kIntraDepth,
                                                            .height = kHeight,
                                                            .width = kWidth});
  const std::int64_t context = kPositions * kIntraDepth;
  return {at::randn({kBatch, kPositions, kHeads, kQueryDepth}).to(type),
          at::randn({kBatch, context, kQueryDepth}).softmax(1).to(type),
          at::randn({kBatch, context, kValueDepth}).to(type),
          embedding->table.detach(),
          embedding->pairRows(kHeight, kWidth),
          at::randn({kBatch, kPositions, kHeads, kValueDepth}).to(type)};
}

auto fusedIn(CoreOrder order) {
  return [order](const LambdaOperands& operands, const at::Tensor& table, const at::Tensor& rows) {
    return applyFusedCore(operands, table, {rows}, order);
  };
}

/// The plain form of the core, which uses the embeddings of all pairs.
at::Tensor plainCore(const LambdaOperands& operands,
                     const at::Tensor& table,
                     const at::Tensor& tableRows) {
  at::Tensor y;
  if (table.defined()) {
    const at::Tensor inside = (tableRows >= 0).flatten().to(table.scalar_type());
    const at::Tensor gathered =
        table.index_select(0, tableRows.clamp_min(0).flatten()) * inside.unsqueeze(1).unsqueeze(2);
    y = applyPositionLambdas(operands,
                             gathered.reshape({kPositions, kPositions * kIntraDepth, kQueryDepth}));
  }
  if (!operands.keys.defined()) return y;
  const at::Tensor content = applyContentLambda(operands);
  return y.defined() ? y + content : content;
}

Core changed(const Core& core, const std::function<at::Tensor(const at::Tensor&)>& change) {
  Core all = core;
  for (at::Tensor* each : {&all.queries, &all.keys, &all.values, &all.table, &all.dy})
    if (each->defined()) *each = change(*each);
  all.tableRows = core.tableRows.defined() ? core.tableRows.contiguous() : core.tableRows;
  return all;
}

Core contiguous(const Core& core) {
  return changed(core, [](const at::Tensor& tensor) { return tensor.contiguous(); });
}

Core inDouble(const Core& core) {
  return changed(core, [](const at::Tensor& tensor) {
    return tensor.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true).contiguous();
  });
}

/// Compares the fused core's results with those of contiguous operands, which must have the same
/// bits, and in float32 with the plain form in float64. Empty if they agree.
std::string mismatchOf(const Core& core) {
  const Core dense = contiguous(core);
  for (const CoreOrder order : {CoreOrder::queriesFirst, CoreOrder::lambdasFirst}) {
    std::vector<at::Tensor> found, expected;
    {
      const PoisonedTensors poisoned;
      found = core.results(fusedIn(order));
      expected = dense.results(fusedIn(order));
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!found[i].equal(expected[i]))
        return "contiguous operands give other bits in result " + std::to_string(i);
    if (core.queries.scalar_type() != at::kFloat) continue;
    const double distance = relativeDistance(found, inDouble(core).results(plainCore));
    if (!(distance < kTolerance)) return "differs from plain by " + std::to_string(distance);
  }
  return {};
}

/// The layouts of maps that a network's layers produce or a caller may pass.
std::vector<MemoryLayout> mapLayouts() {
  std::vector<MemoryLayout> layouts = layoutsOf(4);
  layouts.push_back({"channels last", [](const at::Tensor& tensor) {
                       return tensor.contiguous(at::MemoryFormat::ChannelsLast);
                     }});
  layouts.push_back({"channels last, sliced", [](const at::Tensor& tensor) {
                       return sliced(tensor.permute({0, 2, 3, 1}), 3).permute({0, 3, 1, 2});
                     }});
  layouts.push_back({"channels last, at an odd address", [](const at::Tensor& tensor) {
                       return atOddAddress(tensor.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
                     }});
  return layouts;
}

}  // namespace

/// The fused core accepts its operands, and the gradient of its output, in any memory layout.
class TestFusedCore : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { at::manual_seed(1); }

  void refusesGradientsOfGradients() {
    const Core core = randomCore(3, at::kFloat);
    const LambdaOperands operands{core.queries.requires_grad_(), core.keys, core.values};
    const at::Tensor y = applyFusedCore(operands, core.table, {core.tableRows});
    QVERIFY_THROWS_EXCEPTION(
        c10::Error,
        torch::autograd::grad({y.sum()}, {core.queries}, {}, std::nullopt, /*create_graph=*/true));
  }

  void aWindowGivesWhatItsRowsGive() {
    const TableRows rows{{}, {}, LocalWindow{kHeight, kWidth, 3}};
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      const Core core = randomCore(3, type);
      const std::vector<at::Tensor> expected = core.results(fusedIn(CoreOrder::automatic));
      const std::vector<at::Tensor> found =
          core.results([&](const LambdaOperands& operands, const at::Tensor& table, const auto&) {
            return applyFusedCore(operands, table, rows);
          });
      const double tolerance = type == at::kFloat ? 1e-5 : 1e-2;
      for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY(found[i].allclose(expected[i], tolerance, tolerance));
    }
  }

  void takesOperandsInAnyLayout_data() {
    QTest::addColumn<QString>("operand");
    for (const char* operand : {"queries", "keys", "values", "table", "table rows", "dy"})
      QTest::newRow(operand) << QString::fromLatin1(operand);
  }

  void takesOperandsInAnyLayout() {
    QFETCH(QString, operand);
    const std::vector<std::pair<const char*, at::Tensor Core::*>> members{
        {"queries", &Core::queries},
        {"keys", &Core::keys},
        {"values", &Core::values},
        {"table", &Core::table},
        {"table rows", &Core::tableRows},
        {"dy", &Core::dy}};
    at::Tensor Core::*member = nullptr;
    for (const auto& [name, each] : members)
      if (operand == QLatin1String(name)) member = each;
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      for (const int scope : {0, 3}) {
        const Core usual = randomCore(scope, type);
        for (const MemoryLayout& layout : layoutsOf((usual.*member).dim())) {
          // For one query, the rows of all positions must differ.
          if (member == &Core::tableRows &&
              (layout.name == "broadcast dimension 1" || layout.name == "one value")) {
            continue;
          }
          Core core = usual;
          core.*member = layout.of(usual.*member);
          const std::string mismatch = mismatchOf(core);
          QVERIFY2(mismatch.empty(), (layout.name + ": " + mismatch).c_str());
        }
      }
    }
  }

  void takesAllOperandsReversedAtOnce() {
    Core core = changed(randomCore(0, at::kFloat), reversedDimensions);
    core.tableRows = reversedDimensions(core.tableRows);
    const std::string mismatch = mismatchOf(core);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void takesOperandsOfOnePartInAnyLayout() {
    Core content = changed(randomCore(0, at::kFloat), reversedDimensions), positions = content;
    content.table = content.tableRows = at::Tensor();
    positions.keys = at::Tensor();
    for (const Core& core : {content, positions}) {
      const std::string mismatch = mismatchOf(core);
      QVERIFY2(mismatch.empty(), mismatch.c_str());
    }
  }

  // The gradient of a sum is one broadcast value.
  void takesTheGradientOfASum() {
    Core core = randomCore(0, at::kFloat);
    core.dy = at::ones_like(core.dy);
    const std::vector<at::Tensor> expected = core.results(fusedIn(CoreOrder::automatic));
    Core summed = core;
    summed.dy = at::Tensor();
    const std::vector<at::Tensor> found = summed.results(
        [](const auto&... operands) { return fusedIn(CoreOrder::automatic)(operands...).sum(); });
    for (std::size_t i = 0; i + 1 < found.size(); ++i) QVERIFY(found[i].equal(expected[i]));
  }

  void leavesOperandsAsTheyAre() {
    const Core core = changed(randomCore(0, at::kFloat), reversedDimensions);
    const Core before = changed(core, [](const at::Tensor& tensor) { return tensor.clone(); });
    core.results(fusedIn(CoreOrder::automatic));
    for (const auto member : {&Core::queries, &Core::keys, &Core::values, &Core::table, &Core::dy})
      QVERIFY((core.*member).equal(before.*member));
  }

  void theLayerTakesMapsInAnyLayout() {
    LambdaLayer layer(LambdaLayerOptions{lambdaMixer(4, 2), 6, 8, kHeight, kWidth});
    LambdaLayer exact(LambdaLayerOptions{lambdaMixer(4, 2), 6, 8, kHeight, kWidth});
    exact->to(at::kDouble);
    {
      const at::NoGradGuard guard;
      for (const auto& item : layer->named_parameters())
        exact->named_parameters()[item.key()].copy_(item.value());
    }
    const auto resultsOf = [](LambdaLayer& of, const at::Tensor& map, const at::Tensor& dy) {
      const at::Tensor x = map.detach().requires_grad_();
      const at::Tensor y = of(x);
      torch::autograd::variable_list inputs = of->parameters();
      inputs.push_back(x);
      std::vector<at::Tensor> all = torch::autograd::grad({y}, inputs, {dy});
      all.push_back(y.detach());
      return all;
    };
    const at::Tensor usual = at::randn({kBatch, 6, kHeight, kWidth});
    const at::Tensor gradient = at::randn({kBatch, 8, kHeight, kWidth});
    for (const MemoryLayout& layout : mapLayouts()) {
      // If a map is equal in all images or positions, norms divide by almost zero.
      if (layout.name.find("broadcast") == 0 || layout.name == "one value") continue;
      for (const auto& [x, dy] : {std::pair{layout.of(usual), gradient},
                                  std::pair{usual, layout.of(gradient)},
                                  std::pair{layout.of(usual), layout.of(gradient)}}) {
        const double distance = relativeDistance(
            resultsOf(layer, x, dy), resultsOf(exact, x.to(at::kDouble), dy.to(at::kDouble)));
        QVERIFY2(distance < 1e-5, (layout.name + ": " + std::to_string(distance)).c_str());
      }
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestFusedCore)
#include "tst_fused_core.moc"
