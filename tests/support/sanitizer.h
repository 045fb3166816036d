#pragma once

// LAMBDA_SANITIZED is defined where a sanitizer instruments the program, whose times and memory
// are then not its own.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LAMBDA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LAMBDA_SANITIZED
#endif
#endif
