#pragma once

#include <ATen/ATen.h>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The keys [b, m, c] normalised over the context m, each channel for itself (LambdaNetworks,
/// section 3.1 and table 12). With a mask `seen` [n, m], bool, each query has a context of its own
/// (appendix B.2): the result is [b, n, m, c], with 0 for what a query does not see. What it does
/// not see has no influence on its keys, however large it is. A channel that is 0 in the whole
/// context stays 0 under L2.
at::Tensor normalizeKeys(const at::Tensor& keys,
                         KeyNormalization normalization,
                         const at::Tensor& seen);

}  // namespace lambda
