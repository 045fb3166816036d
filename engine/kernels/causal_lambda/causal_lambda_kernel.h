#pragma once

#include <cstdint>

#include "engine/kernels/parallel_for.h"

namespace lambda {

/// How each channel of the keys is normalised over the positions that a query sees.
enum class SeenKeys {
  softmax,
  l2,  ///< Divided by its 2-norm; 0 where all keys so far are 0.
  asTheyAre,
};

/// Sizes of a content lambda under a causal mask. The letters are those of LambdaNetworks.
struct CausalLambdaShape {
  std::int64_t images = 0;      ///< b
  std::int64_t positions = 0;   ///< n, as many queries as positions of the context
  std::int64_t intraDepth = 1;  ///< u
  std::int64_t heads = 1;       ///< h, which share the lambdas
  std::int64_t queryDepth = 0;  ///< k
  std::int64_t valueDepth = 0;  ///< v
  SeenKeys keys = SeenKeys::softmax;
};

/// The operands, dense. The keys are not normalised yet.
struct CausalLambdaInputs {
  const float* queries = nullptr;  ///< q [b, n, h, k]
  const float* keys = nullptr;     ///< K [b, n, u, k]
  const float* values = nullptr;   ///< v [b, n, u, v]
};

/// What sequences that are read in pieces have shown before a piece, dense. The kernel replaces it
/// by what they have shown after it. Null = nothing was shown, and what follows is not wanted.
struct CausalLambdaState {
  float* lambdas = nullptr;  ///< Lambda [b, u, k, v]
  /// [b, u, k]: a key with the weight of all keys so far, log sum e^K for softmax and the 2-norm
  /// for L2; before a first position -infinity and 0. Keys as they are need none.
  double* keys = nullptr;
};

/// The gradients of the operands, in their shapes.
struct CausalLambdaGradients {
  float* queries = nullptr;
  float* keys = nullptr;
  float* values = nullptr;
};

// The content lambda under a causal mask (LambdaNetworks, appendix B.2): query n sees the positions
// m <= n, and its keys are normalised over them alone.
//
//   Lambda_n = sum_{m <= n} (K_m / N_n) v_m^T  [k, v]          y_n = q_n^T Lambda_n
//
// where softmax has e^{K_m} in the place of K_m, and N_n is the normaliser of each key channel over
// what n sees. Only N changes from one query to the next, so the lambda is a running state:
//
//   Lambda_n = keep_n Lambda_{n-1} + add_n v_n^T      keep_n = N_{n-1} / N_n      add_n = K_n / N_n
//
// Neither lambdas [n, k, v] nor keys [n, m, k] are stored: an image takes n k v (2 + h)
// multiply-adds and a state of k v. The intra-depth sums lambdas with normalisers of their own. For
// softmax keys, keep and add are computed from a running maximum, so that keys may have any size;
// both are then within 0..1.
//
// The backward pass stores no lambdas either. A sweep forwards computes Lambda again, and with it
//
//   dq_n = Lambda_n dy_n                    g_n = sum over heads of q_n dq_n  [k]
//
// and a sweep backwards sums what positions get from the queries that see them:
//
//   R_m = keep_{m+1} R_{m+1} + q_m dy_m^T  [k, v], summed over heads           dv_m = add_m^T R_m
//
//   softmax      T_m = keep_{m+1} T_{m+1} + g_m          dK_m = add_m (R_m v_m - T_m)
//   l2           T_m = keep_{m+1}^2 T_{m+1} + g_m        dK_m = (R_m v_m - add_m T_m) / N_m
//   as they are                                          dK_m = R_m v_m
//
// Work is divided by images and blocks of values. The sums over blocks, in dq and dK, are added in
// their order: the same inputs give the same bits with any number of threads.

/// Writes the outputs y [b, n, h, v] and the state. The output of a position does not depend on
/// later ones, to the bit.
void causalLambdaForward(const CausalLambdaShape& shape,
                         const CausalLambdaInputs& inputs,
                         const CausalLambdaState& state,
                         float* y,
                         const ParallelFor& parallelFor);

/// Writes the gradients of the operands from that of the outputs, dy [b, n, h, v].
void causalLambdaBackward(const CausalLambdaShape& shape,
                          const CausalLambdaInputs& inputs,
                          const float* dy,
                          const CausalLambdaGradients& gradients,
                          const ParallelFor& parallelFor);

}  // namespace lambda
