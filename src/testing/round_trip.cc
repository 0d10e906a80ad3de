// SPDX-License-Identifier: Apache-2.0

#include "testing/round_trip.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "conversion/check/round_trip.h"
#include "conversion/kind_converters.h"
#include "k8s/equality.h"
#include "schema/defaults.h"
#include "schema/prune.h"
#include "testing/internal/smallest.h"
#include "testing/random_objects.h"

namespace fairway::testing {

namespace {

using conversion::Finding;

const json::Object* find_schema(const k8s::CustomResourceDefinition& definition, std::string_view version) {
  for (const k8s::CustomResourceVersion& one : definition.versions()) {
    if (one.name() == version && !one.schema().json().empty()) return &one.schema().json();
  }
  return nullptr;
}

/// Returns whether a cause is about a field, or what is in it: "spec.ports[].name does not come back" is
/// about "spec.ports".
bool is_about(const std::string& cause, const std::string& field) {
  return cause.starts_with(field) && cause.size() > field.size() &&
         std::string_view(" .[").contains(cause[field.size()]);
}

/// The trips of objects of one kind.
class Trips {
 public:
  Trips(const conversion::Converters& converters, const k8s::CustomResourceDefinition& definition,
        const conversion::KindConverters& kind, const RoundTripOptions& options)
      : converters_(converters), kind_(kind), options_(options) {
    for (const std::string& version : kind.version_names())
      schemas_[version] = find_schema(definition, version);
  }

  /// Checks an object in its version. `is_valid` says what the smaller ones have to be, too.
  void check(k8s::Dynamic object, const std::string& from,
             const std::function<bool(const json::Object&)>& is_valid) {
    if (auto filled = fill_in(object, from); !filled) {
      failures_.push_back(filled.error().message);
      return;
    }
    const bool was_valid = is_valid(object.json());
    for (const std::string& to : kind_.version_names()) {
      if (to == from) continue;
      const auto failure = find_failure(object, from, to);
      if (!failure || !known_.insert(from + " " + to + " " + failure->cause).second) continue;
      const json::Object least = smallest(object.json(), [&](const json::Object& smaller) {
        if (was_valid && !is_valid(smaller)) return false;
        k8s::Dynamic one(smaller);
        if (!fill_in(one, from)) return false;
        const auto same = find_failure(one, from, to);
        return same && same->cause == failure->cause;
      });
      report(k8s::Dynamic(least), from, to);
      if (is_full()) return;
    }
  }

  bool is_full() const { return failures_.size() >= options_.most_failures; }
  std::vector<std::string> take() { return std::move(failures_); }

 private:
  struct Failure {
    /// The fault, without the values of the object: two with the same cause are one.
    std::string cause = {};
    std::string detail = {};
  };

  void report(k8s::Dynamic object, const std::string& from, const std::string& to) {
    [[maybe_unused]] const auto filled = fill_in(object, from);
    const auto failure = find_failure(object, from, to);
    if (!failure) return;
    failures_.push_back(from + " to " + to + " and back: " + object.to_text() + ": " + failure->cause +
                        (failure->detail.empty() ? "" : ": " + failure->detail));
  }

  /// Does the program's and the server's defaults.
  Result<void> fill_in(k8s::Dynamic& object, const std::string& version) const {
    kind_.fill_defaults(object);
    return fill_in_schema(object, version);
  }

  /// Fills in the defaults of a version. The error is that there are too many of them.
  Result<void> fill_in_schema(k8s::Dynamic& object, const std::string& version) const {
    const json::Object* schema = schemas_.at(version);
    if (schema == nullptr) return {};
    const auto filled = schema::fill_in_defaults(object.json(), *schema);
    if (!filled) return fail(filled.error().within("filling in the defaults of " + version));
    return {};
  }

  /// Converts an object in one direction, and prunes it as a server does.
  Result<k8s::Dynamic> convert(const k8s::Dynamic& object, const std::string& version) const {
    auto converted = converters_.convert(object, version);
    if (!converted) return converted;
    if (const json::Object* schema = schemas_.at(version)) schema::prune(converted->json(), *schema);
    return converted;
  }

  /// Converts back, with defaults, and without what this version cannot hold of what the other one's defaults
  /// have made.
  Result<k8s::Dynamic> come_back(const k8s::Dynamic& there, const std::string& from,
                                 const k8s::Dynamic& original) const {
    auto back = convert(there, from);
    if (!back) return back;
    if (auto done = fill_in_schema(*back, from); !done) return fail(done.error());
    const std::string& annotation = kind_.lost_fields_annotation();
    if (!original.annotations().contains(annotation)) back->remove_annotation(annotation);
    return back;
  }

  /// Returns whether a finding is about a field that may be lost.
  bool is_lossy(const Finding& finding) const {
    return std::ranges::any_of(options_.lossy,
                               [&](const std::string& field) { return is_about(finding.cause, field); });
  }

  std::optional<Failure> find_failure(const k8s::Dynamic& object, const std::string& from,
                                      const std::string& to) const {
    k8s::Dynamic again = object;
    if (!fill_in(again, from) || again.json() != object.json()) {
      return Failure{"defaults that are filled in once more change the object",
                     "it became " + again.to_text()};
    }
    const auto there = convert(object, to);
    if (!there) {
      if (options_.allow_errors) return std::nullopt;
      return Failure{"it is not converted", there.error().message};
    }
    if (auto failure = find_detour(object, *there, from, to)) return failure;
    // A server fills in defaults of what it reads from etcd, but not of what it has converted.
    k8s::Dynamic filled = *there;
    if (auto done = fill_in_schema(filled, to); !done) return Failure{done.error().message, {}};
    std::vector<const k8s::Dynamic*> variants = {&*there};
    if (filled.json() != there->json()) variants.push_back(&filled);
    for (const k8s::Dynamic* kept : variants) {
      if (auto failure = find_difference(object, *kept, from, to)) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> find_difference(const k8s::Dynamic& object, const k8s::Dynamic& there,
                                         const std::string& from, const std::string& to) const {
    const std::string became = "it became " + there.to_text();
    const auto back = come_back(there, from, object);
    if (!back) return Failure{"it is not converted back", became + ": " + back.error().message};
    if (k8s::equal(json::Value(object.json()), json::Value(back->json()))) return std::nullopt;
    const std::string came = became + ", came back as " + back->to_text();
    const std::vector<Finding> findings = conversion::compare_round_trip(object, *back, schemas_.at(from));
    for (const Finding& finding : findings) {
      if (!is_lossy(finding)) return Failure{finding.cause, came};
    }
    if (findings.empty()) return Failure{"metadata, apiVersion or kind change", came};
    // What may be lost is lost once.
    auto second = convert(*back, to);
    if (second) second = come_back(*second, from, *back);
    if (second && k8s::equal(json::Value(back->json()), json::Value(second->json()))) return std::nullopt;
    return Failure{"a second trip changes more",
                   came + ", and then as " + (second ? second->to_text() : second.error().message)};
  }

  /// Returns the failure of an object that comes out as another one if it goes through a version in between.
  std::optional<Failure> find_detour(const k8s::Dynamic& object, const k8s::Dynamic& there,
                                     const std::string& from, const std::string& to) const {
    const auto versions = kind_.version_names();
    const auto first = std::ranges::find(versions, from), last = std::ranges::find(versions, to);
    const auto [low, high] = std::minmax(first, last);
    for (auto at = std::next(low); at < high; ++at) {
      const auto half = convert(object, *at);
      const auto whole = half ? convert(*half, to) : half;
      if (!whole) continue;  // a finding of that version
      for (const Finding& finding : conversion::compare_round_trip(there, *whole, schemas_.at(to))) {
        if (is_lossy(finding)) continue;
        return Failure{"through " + *at + " it comes out as another one: " + finding.cause,
                       "it became " + there.to_text() + ", and through " + *at + " " + whole->to_text()};
      }
    }
    return std::nullopt;
  }

  const conversion::Converters& converters_;
  const conversion::KindConverters& kind_;
  const RoundTripOptions& options_;
  std::map<std::string, const json::Object*> schemas_;
  std::set<std::string> known_;
  std::vector<std::string> failures_;
};

}  // namespace

std::vector<std::string> check_round_trips(const conversion::Converters& converters,
                                           const k8s::CustomResourceDefinition& definition,
                                           const RoundTripOptions& options) {
  const conversion::KindConverters* kind = converters.find(definition.group(), definition.defined_kind());
  if (kind == nullptr) return {"there are no converters for " + std::string(definition.defined_kind())};
  Trips trips(converters, definition, *kind, options);
  for (const std::string& from : kind->version_names()) {
    if (trips.is_full()) break;
    if (find_schema(definition, from) == nullptr) continue;
    RandomObjects random(definition, from, options.seed);
    const auto is_valid = [&](const json::Object& object) { return random.is_valid(object); };
    for (int i = 0; i < options.objects && !trips.is_full(); ++i) trips.check(random.next(), from, is_valid);
    for (const k8s::Dynamic& object : options.corpus) {
      const k8s::GroupVersionKind of = object.group_version_kind();
      const bool is_ours =
          of.group == definition.group() && of.kind == definition.defined_kind() && of.version == from;
      if (is_ours && !trips.is_full()) trips.check(object, from, is_valid);
    }
  }
  return trips.take();
}

}  // namespace fairway::testing
