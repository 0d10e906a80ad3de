// SPDX-License-Identifier: Apache-2.0

// Whatever managedFields and documents say: no crash; what is read as a set of fields is written as one that
// reads the same; an apply that is repeated changes nothing.
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/apply/field_set.h"
#include "apiserver/internal/apply/type_sources.h"
#include "base/json.h"

namespace {

using namespace fairway;
using namespace fairway::apiserver;

const apply::OwnedType& type() {
  static const json::Value schema =
      json::parse(R"({"type":"object","properties":{"spec":{"type":"object","properties":{
    "map":{"type":"object","additionalProperties":{"type":"string"}},
    "atomic":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"}}},
    "list":{"type":"array","items":{"type":"string"}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","p"],"items":
      {"type":"object","properties":{"k":{"type":"integer"},"p":{"type":"string","default":"d"},"v":{"type":"string"}}}},
    "any":{"x-kubernetes-preserve-unknown-fields":true}}}}})")
          .value();
  static const apply::OwnedType type = apply::type_of_schema(&schema.as_object());
  return type;
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

/// Reads a list: fields, or an object and the documents that are applied to it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = json::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!value) return 0;
  if (const auto set = apply::FieldSet::from_fields_v1(*value)) {
    const auto again = apply::FieldSet::from_fields_v1(json::parse(set->to_text()).value());
    require(again && *again == *set && again->to_text() == set->to_text());
    require(set->difference(*set).empty() && set->united(*set) == *set && set->intersection(*set) == *set);
  }
  const json::Array* list = value->if_array();
  if (list == nullptr || list->empty()) return 0;
  apply::ManagedKind kind;
  kind.kind = {"example.com", "v1", "Widget"};
  kind.type_of = [](std::string_view version) {
    return version == "example.com/v1" ? type().root : apply::TypeRef{};
  };
  const WallTime now{std::chrono::seconds(1'760'000'000)};
  json::Value live = apply::record_update(kind, nullptr, list->front(), "first", now);
  for (std::size_t i = 1; i < list->size() && i < 8; ++i) {
    const auto applied = apply::apply(kind, &live, (*list)[i], "second", i % 2 == 0, now);
    if (!applied) continue;
    const auto again = apply::apply(kind, &*applied, (*list)[i], "second", true, now);
    require(again.has_value());
    live = *again;
  }
  return 0;
}
