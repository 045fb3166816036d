#include <cstring>
#include <memory>

#include <ATen/record_function.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/lambda/project.h"
#include "engine/layers/layer_path.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

using torch::autograd::variable_list;

/// Counts the matrix products that LibTorch computes in this thread during its lifetime. Only one
/// may exist at a time.
class CountedProducts {
 public:
  CountedProducts() {
    count_ = 0;
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(
        [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
          if (std::strcmp(call.name(), "aten::mm") == 0 ||
              std::strcmp(call.name(), "aten::addmm_") == 0) {
            ++count_;
          }
          return nullptr;
        }));
  }

  ~CountedProducts() { at::removeCallback(handle_); }

  CountedProducts(const CountedProducts&) = delete;
  CountedProducts& operator=(const CountedProducts&) = delete;

  static int count() { return count_; }

 private:
  static inline int count_ = 0;
  at::CallbackHandle handle_ = 0;
};

at::Tensor channelsLast(at::IntArrayRef sizes) {
  return at::randn(sizes).contiguous(at::MemoryFormat::ChannelsLast);
}

/// Three projections of one map. The leaves are x, then the weights; `asks` says which of them
/// require gradients.
struct Projected {
  explicit Projected(const std::vector<bool>& asks) {
    leaves.push_back(channelsLast({3, 6, 4, 5}));
    for (const int depth : {7, 1, 16}) leaves.push_back(at::randn({depth, 6, 1, 1}));
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].requires_grad_(asks[i]);
    maps = project(leaves[0], variable_list(leaves.begin() + 1, leaves.end()));
    for (const at::Tensor& map : maps) gradients.push_back(at::randn_like(map));
  }

  variable_list leaves, maps, gradients;
};

}  // namespace

class TestProject : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { at::manual_seed(1); }

  void takesMapsOfPixelsInFloat32() {
    const at::Tensor x = channelsLast({3, 6, 4, 5});
    QVERIFY(LayerInput::of(x, x).isFloatRows());
    for (const at::Tensor& other : {x.contiguous(), x.to(at::kDouble)})
      QVERIFY(!LayerInput::of(other, other).isFloatRows());
  }

  void projectionsAreConvolutions() {
    const Projected ours({true, true, true, true});
    variable_list expected;
    for (std::size_t i = 0; i < ours.maps.size(); ++i) {
      expected.push_back(at::conv2d(ours.leaves[0], ours.leaves[i + 1]));
      VERIFY_CLOSE(ours.maps[i], expected[i], 1e-5, 1e-5);
      QVERIFY(ours.maps[i].is_contiguous(at::MemoryFormat::ChannelsLast));
    }
    const variable_list expectedGradients =
        torch::autograd::grad(expected, ours.leaves, ours.gradients);
    const variable_list found = torch::autograd::grad(ours.maps, ours.leaves, ours.gradients);
    for (std::size_t i = 0; i < found.size(); ++i)
      VERIFY_CLOSE(found[i], expectedGradients[i], 1e-5, 1e-4);
  }

  void mapsThatNothingFollowsGiveNoGradients() {
    const Projected ours({true, true, true, true});
    const at::Tensor expected = at::conv2d(ours.leaves[0], ours.leaves[2]);
    const variable_list used{ours.leaves[0], ours.leaves[2]};
    const variable_list gradients = torch::autograd::grad({expected.sum()}, used);
    const at::Tensor loss = ours.maps[1].sum();
    const CountedProducts products;
    const variable_list found =
        torch::autograd::grad({loss}, ours.leaves, {}, std::nullopt, false, /*allow_unused=*/true);
    QCOMPARE(products.count(), 2);
    VERIFY_CLOSE(found[0], gradients[0], 1e-5, 1e-4);
    VERIFY_CLOSE(found[2], gradients[1], 1e-5, 1e-4);
    QVERIFY(!found[1].defined() && !found[3].defined());
  }

  void frozenLeavesGetNoGradientAndChangeNoOther_data() {
    QTest::addColumn<int>("frozen");
    QTest::addColumn<int>("products");
    QTest::newRow("the map") << 0 << 3;
    QTest::newRow("the first weights") << 1 << 5;
    QTest::newRow("the second weights") << 2 << 5;
    QTest::newRow("the last weights") << 3 << 5;
  }

  void frozenLeavesGetNoGradientAndChangeNoOther() {
    QFETCH(int, frozen);
    QFETCH(int, products);
    std::vector<bool> asks(4, true);
    const auto gradientsOf = [&] {
      at::manual_seed(1);
      const Projected ours(asks);
      const CountedProducts counted;
      torch::autograd::backward(ours.maps, ours.gradients);
      variable_list all;
      for (const at::Tensor& leaf : ours.leaves) all.push_back(leaf.grad());
      return std::pair{all, counted.count()};
    };
    const auto [expected, all] = gradientsOf();
    QCOMPARE(all, 6);
    asks[static_cast<std::size_t>(frozen)] = false;
    const auto [found, computed] = gradientsOf();
    QCOMPARE(computed, products);
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(found[i].defined(), asks[i]);
      if (asks[i]) QVERIFY(found[i].equal(expected[i]));
    }
  }

  void gradientsOfGradientsAreRefused() {
    const Projected ours({true, true, true, true});
    QVERIFY_THROWS_EXCEPTION(c10::Error,
                             torch::autograd::grad(ours.maps,
                                                   ours.leaves,
                                                   ours.gradients,
                                                   std::nullopt,
                                                   /*create_graph=*/true));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestProject)
#include "tst_project.moc"
