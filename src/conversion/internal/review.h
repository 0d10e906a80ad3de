// SPDX-License-Identifier: Apache-2.0

// ConversionReview (apiextensions.k8s.io/v1 and v1beta1): the request of an API server to a conversion
// webhook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/converters.h"

namespace fairway::conversion {

/// Objects of one kind that a review converted from one version to another.
struct ConvertedPair {
  std::string group = {}, kind = {}, from = {}, to = {};
  std::uint64_t converted = 0, failed = 0, quarantined = 0;
};

/// Limit on one object, as JSON text: parsed, two bytes of text may take 24 bytes of memory. An API server
/// accepts requests of 3 MiB, and etcd stores 1.5 MiB.
inline constexpr std::size_t max_object_bytes = std::size_t{4} << 20;

/// Quarantined objects of one review that are named.
inline constexpr std::size_t most_named_quarantined = 100;

struct ReviewReply {
  /// Status of the reply: 200 with a ConversionReview, whose result may be a failure; 400 with a Status if
  /// the request is not a review, 413 if an object in it is too long.
  int http_status = 200;
  std::string body = {};
  /// Converted objects, for metrics; only of registered kinds and versions.
  std::vector<ConvertedPair> pairs = {};
  /// Objects that were quarantined, in order, of many the first `most_named_quarantined`; `pairs` counts all.
  std::vector<QuarantinedObject> quarantined = {};
  /// The error, if there was one.
  std::string error = {};
};

/// Returns how many objects of each kind ("Widget.widgets.example.com") were quarantined besides those named.
std::map<std::string, std::uint64_t> unnamed_quarantined(const ReviewReply& reply);

/// Handles a review: all objects converted, in order, or a failure that names the objects that cannot be, of
/// many the first ten. Objects of one review may be of several kinds of the desired group.
ReviewReply answer_review(const Converters& converters, std::string_view body);

}  // namespace fairway::conversion
