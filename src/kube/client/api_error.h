// What goes wrong in a call to an API server.
#pragma once

#include <expected>
#include <string_view>

#include "base/result.h"
#include "k8s/status.h"

namespace fairway::kube {

/// An error with the Status that the server answered with; no Status (its code is 0) where no answer came.
struct ApiError : Error {
  k8s::Status status;

  ApiError(Error error) : Error(std::move(error)) {}
  /// The server's answer; the message says what was asked of it.
  ApiError(std::string_view asked, k8s::Status answer);

  bool is_answer() const { return status.code() != 0; }
  bool is(std::string_view reason) const { return is_answer() && status.is_failure(reason); }
  bool is_not_found() const { return is(k8s::reason::not_found); }
  bool is_already_exists() const { return is(k8s::reason::already_exists); }
  /// Somebody else has written the object meanwhile, or a precondition is not met.
  bool is_conflict() const { return is(k8s::reason::conflict); }
  /// A list or a watch cannot go on where it was: what it names is too old.
  bool is_expired() const { return is(k8s::reason::expired) || is(k8s::reason::gone); }
};

/// `fail(result.error())` makes a plain `Result` of it, without the Status.
template <class T>
using ApiResult = std::expected<T, ApiError>;

}  // namespace fairway::kube
