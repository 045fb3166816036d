#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/architecture/mixers/lambda_mixer.h"
#include "engine/values/experiment/sample_summary.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// What a lesion leaves out of a lambda layer, whose output at position n, for head j, is
/// y_nj = (lambda_c + lambda_pn)^T q_nj. The letters are the paper's (LambdaNetworks, Bello, ICLR
/// 2021): a batch of b images has queries q [b, n, h, k], content lambdas lambda_c [b, k, v],
/// position lambdas lambda_p [b, n, k, v], and e [n, m, k] are the embeddings of the positions m
/// of the context. In a multi-head layer, each head has lambdas of its own.
enum class LesionPart {
  content,   ///< lambda_c = 0
  position,  ///< lambda_p = 0
  /// e_nm = 0 where m is more than (r - 1) / 2 rows or columns from n. For relative embeddings that
  /// reach further.
  scope,
  head,  ///< q_nj = 0 [k] of head j, at all positions: the v channels of its output are 0.
  row,   ///< Row i [v] of the k rows of every lambda is 0, of the content and of the positions.
};

template <>
inline constexpr EnumNames<5> kNamesOf<LesionPart>{{"content", "position", "scope", "head", "row"}};

/// A part that is cut out of a trained network, which is not trained after it.
struct Lesion {
  LesionPart part = LesionPart::content;
  int number = 0;          ///< r of a scope, j of a head, i of a row, the latter two from 0.
  std::string layer = {};  ///< "stage3.block2.mixer"; empty: all lambda layers that have the part.

  bool operator==(const Lesion&) const = default;
};

/// Whether a layer with that mixer, on a map of that size, has the part that the lesion cuts. A
/// scope is cut only if the layer's positions reach further.
bool cuts(const Lesion& lesion, const LambdaMixer& mixer, int mapHeight, int mapWidth);

/// "no content", "scope 7x7", "no head 2", "no row 5"
std::string textOf(const Lesion& lesion);

/// What a network is without a part.
struct LesionScore {
  Lesion lesion = {};
  Scores scores = {};
  std::int64_t changed = 0;  ///< Images of which it predicts another class than the uncut network.
  std::int64_t lost = 0;     ///< Images that only the uncut network classifies rightly.
  std::int64_t gained = 0;   ///< Images that only the cut network classifies rightly.
  double difference = 0;   ///< Accuracy minus that of the uncut network: (gained - lost) / images.
  Interval interval = {};  ///< Of the difference, see pairedInterval().
};

/// What each part of a trained network is worth on the same images.
struct LesionTable {
  std::string checkpoint = {};
  int epoch = 0;
  std::int64_t step = 0;
  std::string layer = {};  ///< Empty: every part is cut in all lambda layers together.
  Split split = Split::validation;
  std::int64_t images = 0;
  Scores uncut = {};
  /// The part that is worth most first: by accuracy, and of equal ones by the loss.
  std::vector<LesionScore> lesions = {};
};

/// An interval of 95 % for the difference of the accuracies of two networks on all images like
/// these, by the counts of images that only one of them classifies rightly. The adjusted Wald
/// interval of Bonett and Price (J. Educ. Behav. Stat. 37, 2012), which is not empty where the
/// networks agree. `images` must be positive.
Interval pairedInterval(std::int64_t lost, std::int64_t gained, std::int64_t images);

}  // namespace lambda
