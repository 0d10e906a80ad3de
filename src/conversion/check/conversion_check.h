// SPDX-License-Identifier: Apache-2.0

// Checks a converter with objects as they are stored, before it is deployed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/check/findings.h"
#include "conversion/check/version_schemas.h"
#include "k8s/object.h"
#include "k8s/wire/conversion_review.h"

namespace fairway::conversion {

/// The reason why a converter has given no answer to a review.
struct NoAnswer {
  Error error = {};
  /// True if it was reached, so that the objects of the review may be the cause.
  bool was_reached = false;
};

/// Asks a converter: returns the body of its response, as a webhook writes it.
using AskConverter = std::function<std::expected<std::string, NoAnswer>(const k8s::ConversionQuestion&)>;

struct CheckRequest {
  std::string group = {}, kind = {};
  /// The version that objects are to be converted to.
  std::string to = {};
  /// The version of the reviews.
  k8s::ConversionVersion review_version = k8s::ConversionVersion::v1;
  /// Examples to keep of each cause.
  std::size_t most_examples = 5;
  /// Limits on the objects of a review, and on their JSON text in bytes. An API server asks for a page of a
  /// list at once.
  std::size_t most_objects = 500, most_bytes = std::size_t{4} << 20;
};

/// Converts objects to a version and back, and judges what becomes of them. Nothing is written. Answers are
/// judged as API servers judge them (`k8s::read_conversion_response`). It does no I/O but by `ask`.
class ConversionCheck {
 public:
  /// A stop request ends `add` between two reviews, or two objects.
  ConversionCheck(CheckRequest request, VersionSchemas schemas, AskConverter ask, std::stop_token stop = {});

  /// Checks objects in the versions that they are stored in. Objects of other kinds are left out, and the
  /// converter is not asked for those in a version that the definition does not have: they fail.
  ///
  /// A review that the converter refuses, or during which it fails, is halved until the object is found. When
  /// it has failed `most_failures` reviews of one object in a row, it is asked for objects elsewhere.
  /// Errors, after which the check cannot go on: the converter cannot be reached, it fails those as well, or
  /// its answer is none to the review: not JSON, too large, with another uid or another number of objects.
  /// The message names the objects of the review. Findings until then are kept.
  Result<void> add(std::vector<k8s::Dynamic> objects);
  /// Adds an object that cannot be read in a version, by the error.
  void add_unreadable(const k8s::Key& key, const std::string& version, std::string_view error);

  const CheckRequest& request() const { return request_; }
  const VersionSchemas& schemas() const { return schemas_; }
  const Findings& findings() const { return findings_; }
  /// Number of checked objects that are in the version already, so that the converter was not asked.
  std::int64_t not_converted() const { return not_converted_; }
  /// Number of objects that were left out, since they are of another kind.
  std::int64_t other_kinds() const { return other_kinds_; }
  /// Number of objects that have the marks of a quarantine and content: they were checked as they are.
  std::int64_t marked_with_content() const { return marked_with_content_; }

  /// Returns whether no object has come through, though several were asked for, all of which failed in the
  /// same way.
  bool fails_all_alike() const;

  static constexpr int most_failures = 5;

 private:
  /// An object on its way.
  struct Trip {
    k8s::Key key = {};
    k8s::Dynamic stored = {};
    /// The stored object in the other version; none: it could not be converted.
    std::optional<k8s::Dynamic> converted = {};
    std::vector<Finding> findings = {};
  };
  struct Leg;

  bool has_content(const k8s::Dynamic& object) const;
  static Result<k8s::Dynamic> original_of(const k8s::Dynamic& object);
  Result<void> check_version(std::vector<Trip> trips, const std::string& version);
  Result<void> convert(std::vector<Leg>& legs, const std::string& from, const std::string& to);
  Result<void> convert_some(std::vector<Leg>& legs, std::size_t begin, std::size_t end,
                            const std::string& from, const std::string& to);
  Result<bool> converts_elsewhere(const std::vector<Leg>& legs, std::size_t end, const std::string& from,
                                  const std::string& to);
  k8s::ConversionQuestion question_of(const std::string& from, const std::string& to);
  std::string next_uid();

  CheckRequest request_;
  VersionSchemas schemas_;
  AskConverter ask_;
  std::stop_token stop_;
  Findings findings_;
  std::int64_t other_kinds_ = 0, not_converted_ = 0, marked_with_content_ = 0;
  std::uint64_t reviews_ = 0;
  int failures_in_a_row_ = 0;
  /// Objects that came back.
  std::int64_t returned_ = 0;
  /// An object that was converted, of each version.
  std::map<std::string, json::Object> converted_of_;
};

}  // namespace fairway::conversion
