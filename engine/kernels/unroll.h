#pragma once

// Before a loop whose count the compiler knows: its body stands so often. Sums in registers need
// it. Under sanitizers, whose checks are as many again as what they check, loops stay loops.
#ifdef LAMBDA_SANITIZED
#define LAMBDA_UNROLL(count)
#else
#define LAMBDA_PRAGMA(text) _Pragma(#text)
#define LAMBDA_UNROLL(count) LAMBDA_PRAGMA(GCC unroll count)
#endif
