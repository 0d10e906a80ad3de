// SPDX-License-Identifier: Apache-2.0

// Result<T>: a value or an Error. Errors that a caller may meet are values; exceptions are for bugs.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace fairway {

/// The kind of failure, for callers that act on it (retry, HTTP status, exit code).
enum class ErrorCode {
  invalid,            ///< the input is wrong; a retry cannot help
  not_found,          ///< the requested item does not exist
  unauthenticated,    ///< no credentials, or wrong ones
  forbidden,          ///< authenticated, but not allowed
  conflict,           ///< the state is not what the call requires
  too_large,          ///< a limit on size or count was exceeded
  unavailable,        ///< the peer cannot be reached or fails; a retry may help
  deadline_exceeded,  ///< the deadline passed
  cancelled,          ///< the caller requested a stop
  unsupported,        ///< understood, but not supported here
  internal,           ///< a bug in Fairway
};

/// The code's name in logs and JSON: "invalid", "not_found", ...
std::string_view to_string(ErrorCode code);

/// An error. Its message says what was being done, to which file, line or key, what is wrong, and what to do
/// about it.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message = {};

  /// Returns the error with "doing: " in front: `reading /x/y: permission denied`.
  [[nodiscard]] Error within(std::string_view doing) const;
};

template <class T>
using Result = std::expected<T, Error>;

/// Shorthand for `std::unexpected(Error{code, message})`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

/// Passes an error on: `if (!r) return fail(r.error());`
[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

}  // namespace fairway
