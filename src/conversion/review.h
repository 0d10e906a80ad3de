// ConversionReview (apiextensions.k8s.io/v1 and v1beta1): what an API server asks of a conversion webhook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/converters.h"

namespace fairway::conversion {

/// Objects of one kind that a review had converted from one version to another.
struct ConvertedPair {
  std::string group, kind, from, to;
  std::uint64_t converted = 0, failed = 0;
};

/// The longest object that is read, as JSON text: one that takes 24 bytes of memory for each two of text must
/// not take it all. An API server reads requests of 3 MiB, and etcd stores 1.5.
inline constexpr std::size_t max_object_bytes = std::size_t{4} << 20;

struct ReviewReply {
  /// 200 with a ConversionReview, whose result may be a failure; 400 with a Status where the request is no
  /// review, 413 where an object in it is too long.
  int http_status = 200;
  std::string body;
  /// What was converted, for metrics. Only kinds and versions that are registered.
  std::vector<ConvertedPair> pairs;
  /// What went wrong, where something did.
  std::string error;
};

/// Answers a review: all objects converted, in their order, or a failure that names the first object that
/// cannot be. Objects of one review may be of several kinds of the desired group. facts: kubernetes,
/// ConversionReview
ReviewReply answer_review(const Converters& converters, std::string_view body);

}  // namespace fairway::conversion
