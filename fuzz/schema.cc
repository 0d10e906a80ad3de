// SPDX-License-Identifier: Apache-2.0

// Whatever the schema and the value: no crash, nothing that grows without bounds; a value is valid where no
// problem is found, what is unchanged has no more problems than before, and pruning and defaults do nothing
// when they are done again. The input is a list of a schema and a value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "schema/defaults.h"
#include "schema/field_path.h"
#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/prune_metadata.h"
#include "schema/structural.h"
#include "schema/validator.h"

namespace {

using namespace fairway;
using namespace fairway::schema;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Violations& problems) {
  for (const Violation& problem : problems) {
    require(!problem.path.empty() && !problem.cause.empty() && !problem.message.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto path = FieldPath::parse(text))
    require(FieldPath::parse(path->to_string())->to_string() == path->to_string());

  const auto input = json::parse(text);
  if (!input || !input->is_array() || input->as_array().size() != 2) return 0;
  const json::Value& value = input->as_array()[1];
  const json::Object* schema = input->as_array()[0].if_object();
  if (schema == nullptr) return 0;

  check(check_structural(*schema, "schema"));
  check(check_definition_schema(*schema, "schema"));
  const Validator validator(*schema);
  const Violations problems = validator.validate(value, "value");
  check(problems);
  require(validator.is_valid(value) == problems.empty());
  // What has no schema makes objects unequal, as for Kubernetes: not everything is tolerated.
  require(validator.validate_update(value, value).size() <= problems.size());
  if (!value.is_object()) return 0;

  check(check_list_types(value.get_object(), *schema));
  check(check_headers(value.get_object()));
  check(check_embedded_objects(value.get_object(), *schema));
  json::Object object = value.get_object();
  prune(object, *schema);
  require(prune(object, *schema).empty());
  prune_metadata(object, *schema);
  require(prune_metadata(object, *schema).empty());
  if (fill_in_defaults(object, *schema, 20'000)) {
    const auto again = fill_in_defaults(object, *schema);
    require(again && !*again);
  }
  return 0;
}
