// SPDX-License-Identifier: Apache-2.0

// ConversionReview (apiextensions.k8s.io/v1 and v1beta1): requests of an API server to a conversion webhook,
// and their responses.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/status.h"

namespace fairway::k8s {

/// A request without its objects.
struct ConversionRequest {
  /// apiVersion of the review: "apiextensions.k8s.io/v1".
  std::string api_version = {};
  std::string uid = {};
  /// apiVersion to convert to: "example.com/v2"; not validated.
  std::string desired_api_version = {};
  friend bool operator==(const ConversionRequest&, const ConversionRequest&) = default;
};

// Webhook side. Objects are processed one by one, so that a review of many needs the memory of one.

/// Receives a review while it is parsed.
class ConversionRequestSink {
 public:
  virtual ~ConversionRequestSink() = default;
  /// Called once, before the objects.
  virtual void begin(ConversionRequest request) = 0;
  /// Receives an item of `objects`, which may be of any type. Its memory is reused for the next one.
  virtual void add(json::Value object) = 0;
};

/// Parses a review of either version. Errors: `invalid` (not a review, duplicate fields), `too_large` (an
/// object of more than `max_object_bytes` of JSON text, or more than that of objects before the other fields
/// of the request). Objects may have been delivered before an error.
Result<void> read_conversion_request(std::string_view body, ConversionRequestSink& sink,
                                     std::size_t max_object_bytes);

/// Writes a response: append each object, in order, as JSON text to what `next` returns.
class ConversionResponseWriter {
 public:
  /// Appends the beginning of the response to `out`, which must outlive this.
  ConversionResponseWriter(std::string& out, const ConversionRequest& request);
  std::string& next();
  void end();

 private:
  std::string& out_;
  bool first_ = true;
};

/// Returns the response if an object cannot be converted.
std::string write_conversion_failure(const ConversionRequest& request, const Status& status);

// API server side.

enum class ConversionVersion { v1, v1beta1 };

/// Returns the first supported version of `conversionReviewVersions`.
std::optional<ConversionVersion> choose_conversion_version(const std::vector<std::string_view>& versions);

/// Returns whether an object must be sent: it has another version, and more fields than apiVersion and kind.
bool needs_conversion(const json::Object& object, std::string_view desired_api_version);

struct ConversionQuestion {
  ConversionVersion version = ConversionVersion::v1;
  /// Id of the review, unique; the response must have the same.
  std::string uid = {};
  GroupVersion desired = {};
  /// The kind of the object or list, for errors.
  GroupVersionKind of = {};
  /// True if the objects are items of a list, which errors number.
  bool is_list = false;
  /// Objects, which must outlive this.
  std::vector<const json::Object*> objects = {};
};

/// Returns the review as JSON text.
std::string write_conversion_request(const ConversionQuestion& question);

/// Reason why a response is rejected.
struct ConversionFault {
  /// The label of kube-apiserver's metric: "conversion_webhook_malformed_response_failure".
  std::string_view failure_type = {};
  /// kube-apiserver's message: "conversion webhook for example.com/v1, Kind=Widget failed: ..."; clients get
  /// it as an InternalError.
  std::string message = {};
  /// True if the webhook has answered in due form that it does not convert the objects: the result is not
  /// Success. The message then ends with the webhook's own.
  bool is_refusal = false;
  /// True if the response is in due form, but one of its objects is none that may stand for the original.
  bool is_about_object = false;
};

/// Parses and validates a response as kube-apiserver does. Returns the objects in order, with their original
/// metadata except for labels and annotations, which are the webhook's. Errors: a wrong kind of document or
/// uid (v1 only), a result other than Success, a wrong number of objects; and per object a wrong version,
/// kind, name, namespace or uid, missing or malformed metadata, invalid labels and annotations.
std::expected<std::vector<json::Object>, ConversionFault> read_conversion_response(
    std::string_view body, const ConversionQuestion& question);

}  // namespace fairway::k8s
