// Test kit: random objects of a structural schema.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Makes objects that a version's schema allows: each optional field there or not, lists and maps of a few
/// items (of those with keys, each with its own), limits, enums and the formats of dates kept. A text of
/// which the schema demands a pattern is its default, its example or its first enum; where it has none, and
/// the field is optional, it is left out. Validation rules in CEL are not looked at.
///
/// The same seed gives the same objects, on every machine.
class RandomObjects {
 public:
  /// `version` is one of the definition's; the definition must outlive this.
  RandomObjects(const k8s::CustomResourceDefinition& definition, std::string version, std::uint64_t seed);

  /// A new object, with a name, and a namespace where its kind has one.
  k8s::Dynamic next();

 private:
  std::uint64_t below(std::uint64_t limit) { return limit > 0 ? random_() % limit : 0; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  json::Value value(const json::Object& schema, int depth);
  json::Value object(const json::Object& schema, int depth, bool is_resource);
  json::Value list(const json::Object& schema, int depth);
  json::Value text(const json::Object& schema);
  json::Value integer(const json::Object& schema);
  json::Value number(const json::Object& schema);
  json::Value anything(int depth);
  std::string word();

  const k8s::CustomResourceDefinition& definition_;
  std::string version_;
  json::Object schema_;
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
};

}  // namespace fairway::conversion
