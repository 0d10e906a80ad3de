// Result<T>: a value or an Error. Errors that a caller may meet are values; exceptions are for bugs.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace fairway {

/// What kind of failure it was, for callers that decide by it (retry, HTTP status, exit code).
enum class ErrorCode {
  invalid,            ///< the input is wrong, and stays wrong
  not_found,          ///< what was asked for does not exist
  unauthenticated,    ///< no credentials, or wrong ones
  forbidden,          ///< known, but not allowed
  conflict,           ///< the state is not what the call requires
  too_large,          ///< a limit on size or count was met
  unavailable,        ///< the other side cannot be reached or fails; trying again may help
  deadline_exceeded,  ///< the time given was not enough
  cancelled,          ///< the caller asked to stop
  unsupported,        ///< understood, but not offered here
  internal,           ///< a fault of ours
};

/// The code's name as it stands in logs and JSON: "invalid", "not_found", ...
std::string_view to_string(ErrorCode code);

/// An error says what was being done, to what (file, line, key), what is wrong, and what to do about it.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  /// The same error with "doing: " in front: `reading /x/y: permission denied`.
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
