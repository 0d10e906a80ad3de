// SPDX-License-Identifier: Apache-2.0

// Exceptions of a refresh as errors: memory that is not there, or a library's own.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "base/result.h"

namespace fairway::updateservice {

/// Returns the Result of `work`. An exception becomes its Error (`unavailable` if memory ran out, `internal`
/// otherwise): threads that refresh must survive the data of any source.
template <class Work>
std::invoke_result_t<Work> guarded(const std::string& doing, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::unavailable, doing + ": there is not enough memory for it");
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::internal, doing + ": " + thrown.what());
  }
}

}  // namespace fairway::updateservice
