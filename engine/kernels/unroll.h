#pragma once

// LAMBDA_UNROLL(count) stands before a loop whose count the compiler knows and unrolls it `count`
// times. Sums that stay in registers need it. Sanitizers would add a check to each copy of the
// body, so their builds do not unroll.
#ifdef LAMBDA_SANITIZED
#define LAMBDA_UNROLL(count)
#else
#define LAMBDA_PRAGMA(text) _Pragma(#text)
#define LAMBDA_UNROLL(count) LAMBDA_PRAGMA(GCC unroll count)
#endif
