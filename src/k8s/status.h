// SPDX-License-Identifier: Apache-2.0

// The API's Status: errors of a server. `k8s/wire/status_errors.h` builds the ones that a server sends.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// Values of `reason` in a Status. A server may use others.
namespace reason {
inline constexpr std::string_view unauthorized = "Unauthorized", forbidden = "Forbidden",
                                  not_found = "NotFound", already_exists = "AlreadyExists",
                                  conflict = "Conflict", gone = "Gone", invalid = "Invalid",
                                  server_timeout = "ServerTimeout", store_read_error = "StoreReadError",
                                  timeout = "Timeout", too_many_requests = "TooManyRequests",
                                  bad_request = "BadRequest", method_not_allowed = "MethodNotAllowed",
                                  not_acceptable = "NotAcceptable",
                                  request_entity_too_large = "RequestEntityTooLarge",
                                  unsupported_media_type = "UnsupportedMediaType",
                                  internal_error = "InternalError", expired = "Expired",
                                  service_unavailable = "ServiceUnavailable";
}  // namespace reason

/// Values of `reason` in a cause.
namespace cause {
inline constexpr std::string_view field_value_not_found = "FieldValueNotFound",
                                  field_value_required = "FieldValueRequired",
                                  field_value_duplicate = "FieldValueDuplicate",
                                  field_value_invalid = "FieldValueInvalid",
                                  field_value_not_supported = "FieldValueNotSupported",
                                  field_value_forbidden = "FieldValueForbidden",
                                  field_value_too_long = "FieldValueTooLong",
                                  field_value_too_many = "FieldValueTooMany",
                                  field_value_type_invalid = "FieldValueTypeInvalid",
                                  unexpected_server_response = "UnexpectedServerResponse",
                                  field_manager_conflict = "FieldManagerConflict",
                                  resource_version_too_large = "ResourceVersionTooLarge";
}  // namespace cause

/// Returns the HTTP status of a reason; 500 for an unknown one.
int http_status(std::string_view reason);
/// Returns the reason of an HTTP status; empty if there is none.
std::string_view reason_of(int http_status);

class StatusCause : public View {
 public:
  using View::View;
  std::string_view reason() const { return text("reason"); }
  std::string_view message() const { return text("message"); }
  /// Path of the field: "spec.ports[0].name"; empty if it is not about a field.
  std::string_view field() const { return text("field"); }
};

/// The members of a cause.
struct CauseFields {
  std::string reason = {}, message = {}, field = {};
  friend bool operator==(const CauseFields&, const CauseFields&) = default;
};

/// The members of `details`. `kind` is usually the resource: "deployments".
struct StatusDetails {
  std::string name = {}, group = {}, kind = {}, uid = {};
  std::vector<CauseFields> causes = {};
  /// Time to wait before a retry, in seconds; 0: omitted.
  std::int32_t retry_after_seconds = 0;
  friend bool operator==(const StatusDetails&, const StatusDetails&) = default;
};

/// The members of a Status; empty ones are omitted.
struct StatusFields {
  /// `continue_token` continues a list whose continue token has expired.
  std::string continue_token = {}, resource_version = {};
  bool success = false;
  std::string message = {}, reason = {};
  std::optional<StatusDetails> details = {};
  /// HTTP status; 0: omitted.
  int code = 0;
  friend bool operator==(const StatusFields&, const StatusFields&) = default;
};

class Status : public Dynamic {
 public:
  static constexpr Resource resource{"", "v1", "Status", "", Scope::cluster};
  using Dynamic::Dynamic;

  /// Builds a Status with its members in the order of kube-apiserver.
  static Status of(const StatusFields& fields);
  /// Parses JSON text. Errors (`invalid`): not a Status of v1 or meta.k8s.io/v1, a `status` other than
  /// Success and Failure.
  static Result<Status> parse(std::string_view text);
  /// Returns the members, as `of` takes them. Members that are not part of a Status are lost.
  StatusFields fields() const;
  /// Returns a failure with a reason, and the matching code.
  static Status failure(std::string_view reason, std::string_view message);
  /// Returns the Status of an error reply: the one in the body or, if that is not a Status, one built from
  /// the HTTP status and the beginning of the body.
  static Status of_reply(int http_status, std::string_view body);

  bool is_success() const { return text("status") == "Success"; }
  std::string_view message() const { return text("message"); }
  std::string_view reason() const { return text("reason"); }
  int code() const { return static_cast<int>(integer("code")); }
  /// Name of the object that it is about, as far as given.
  std::string_view object_name() const { return text("details.name"); }
  std::string_view object_group() const { return text("details.group"); }
  std::string_view object_kind() const { return text("details.kind"); }
  std::string_view object_uid() const { return text("details.uid"); }
  std::vector<StatusCause> causes() const { return items<StatusCause>("details.causes"); }
  bool has_cause(std::string_view reason) const;
  void add_cause(std::string_view reason, std::string_view message, std::string_view field = {});
  /// Time to wait before a retry (`retryAfterSeconds`), if given.
  std::optional<std::chrono::seconds> retry_after() const;
  /// Returns a token to continue a list whose continue token has expired; empty if there is none.
  std::string_view continue_token() const { return text("metadata.continue"); }

  /// Returns whether this is a failure with that reason. A Status without a reason is classified by its code.
  bool is_failure(std::string_view reason) const;
  /// Converts it to an Error with the server's message.
  Error to_error() const;
};

/// A value parsed from a request, or the Status to reply with.
template <class T>
using StatusResult = std::expected<T, Status>;

}  // namespace fairway::k8s
