// Errors: what kind of error a call throws.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "tamis/error.h"

namespace tamis::testing {

/// The kind of the error that call throws; it is a failure if it throws none.
inline ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::memory;
}

/// The statement must throw an Error of this kind.
#define EXPECT_KIND(statement, expected)                           \
  try {                                                            \
    (void)(statement);                                             \
    ADD_FAILURE() << #statement " throws nothing";                 \
  } catch (const ::tamis::Error& e) {                              \
    EXPECT_EQ(e.kind(), ::tamis::ErrorKind::expected) << e.what(); \
  }

}  // namespace tamis::testing
