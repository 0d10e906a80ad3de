// SPDX-License-Identifier: Apache-2.0

// Errors of calls to an API server.
#pragma once

#include <expected>
#include <string_view>

#include "base/result.h"
#include "k8s/status.h"

namespace fairway::kube {

/// An error with the Status of the server's reply; the Status is empty (code 0) if there was no reply.
struct ApiError : Error {
  k8s::Status status = {};

  ApiError(Error error) : Error(std::move(error)) {}
  /// An error reply of the server; the message names the request.
  ApiError(std::string_view asked, k8s::Status answer);

  bool is_answer() const { return status.code() != 0; }
  bool is(std::string_view reason) const { return is_answer() && status.is_failure(reason); }
  bool is_not_found() const { return is(k8s::reason::not_found); }
  /// Returns whether the server says that there is no such object. Other 404s name no object: the server does
  /// not serve the kind, this version of it or this subresource, and says nothing about the object.
  bool is_object_not_found() const { return is_not_found() && !status.object_name().empty(); }
  bool is_already_exists() const { return is(k8s::reason::already_exists); }
  /// Returns whether the object was changed since it was read (resourceVersion), or a precondition failed.
  bool is_conflict() const { return is(k8s::reason::conflict); }
  /// Returns whether the resourceVersion or continue token of a list or watch is too old (410): relist.
  bool is_expired() const { return is(k8s::reason::expired) || is(k8s::reason::gone); }
};

/// Result of an API call. `fail(result.error())` converts it to a plain `Result`, without the Status.
template <class T>
using ApiResult = std::expected<T, ApiError>;

}  // namespace fairway::kube
