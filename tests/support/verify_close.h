#pragma once

#include <QtTest/QtTest>

#include "tests/support/tensor_close.h"

/// QVERIFY that differenceOf(actual, expected, absolute, relative) finds none.
#define VERIFY_CLOSE(...)                                                   \
  do {                                                                      \
    const std::string difference = lambda::test::differenceOf(__VA_ARGS__); \
    QVERIFY2(difference.empty(), difference.c_str());                       \
  } while (false)
