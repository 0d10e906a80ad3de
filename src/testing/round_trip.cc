// SPDX-License-Identifier: Apache-2.0

#include "testing/round_trip.h"

#include "conversion/kind_converters.h"
#include "k8s/equality.h"
#include "schema/defaults.h"
#include "schema/prune.h"
#include "testing/random_objects.h"

namespace fairway::testing {

namespace {

const json::Object* find_schema(const k8s::CustomResourceDefinition& definition, std::string_view version) {
  for (const k8s::CustomResourceVersion& one : definition.versions()) {
    if (one.name() == version && !one.schema().json().empty()) return &one.schema().json();
  }
  return nullptr;
}

/// Fills in the defaults of a version. The error is that there are too many of them.
Result<void> fill_in(const k8s::CustomResourceDefinition& definition, k8s::Dynamic& object,
                     std::string_view version) {
  const json::Object* schema = find_schema(definition, version);
  if (schema == nullptr) return {};
  const auto filled = schema::fill_in_defaults(object.json(), *schema);
  if (!filled) return fail(filled.error().within("filling in the defaults of " + std::string(version)));
  return {};
}

/// Converts an object in one direction, and prunes it as a server does.
Result<k8s::Dynamic> convert(const conversion::Converters& converters,
                             const k8s::CustomResourceDefinition& definition, const k8s::Dynamic& object,
                             std::string_view version) {
  auto converted = converters.convert(object, version);
  if (!converted) return converted;
  if (const json::Object* schema = find_schema(definition, version))
    schema::prune(converted->json(), *schema);
  return converted;
}

}  // namespace

std::vector<std::string> check_round_trips(const conversion::Converters& converters,
                                           const k8s::CustomResourceDefinition& definition,
                                           const RoundTripOptions& options) {
  std::vector<std::string> failures;
  const conversion::KindConverters* kind = converters.find(definition.group(), definition.defined_kind());
  if (kind == nullptr) return {"there are no converters for " + std::string(definition.defined_kind())};
  const std::string& annotation = kind->lost_fields_annotation();
  for (const std::string& from : kind->version_names()) {
    if (find_schema(definition, from) == nullptr) continue;
    RandomObjects random(definition, from, options.seed);
    for (int i = 0; i < options.objects; ++i) {
      k8s::Dynamic object = random.next();
      kind->fill_defaults(object);
      if (auto filled = fill_in(definition, object, from); !filled) return {filled.error().message};
      for (const std::string& to : kind->version_names()) {
        if (from == to) continue;
        if (failures.size() >= options.most_failures) return failures;
        const std::string trip = from + " to " + to + " and back: " + object.to_text();
        const auto there = convert(converters, definition, object, to);
        if (!there) {
          if (!options.allow_errors) failures.push_back(trip + ": " + there.error().message);
          continue;
        }
        // A server fills in defaults of what it reads from etcd, but not of what it has converted.
        k8s::Dynamic filled = *there;
        if (auto done = fill_in(definition, filled, to); !done) return {done.error().message};
        std::vector<const k8s::Dynamic*> variants = {&*there};
        if (filled.json() != there->json()) variants.push_back(&filled);
        for (const k8s::Dynamic* kept : variants) {
          auto back = convert(converters, definition, *kept, from);
          if (back) {
            if (auto done = fill_in(definition, *back, from); !done) back = fail(done.error());
          }
          // It may carry what this version cannot hold of what the other one's defaults made.
          if (back && !object.annotations().contains(annotation)) back->remove_annotation(annotation);
          if (!back) {
            failures.push_back(trip + " became " + kept->to_text() + ": " + back.error().message);
          } else if (!k8s::equal(json::Value(object.json()), json::Value(back->json()))) {
            failures.push_back(trip + " became " + kept->to_text() + ", came back as " + back->to_text());
          }
        }
      }
    }
  }
  return failures;
}

}  // namespace fairway::testing
