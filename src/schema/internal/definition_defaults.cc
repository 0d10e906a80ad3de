// SPDX-License-Identifier: Apache-2.0

// Defaults of a definition.
#include <string>
#include <string_view>
#include <utility>

#include "k8s/equality.h"
#include "schema/internal/definition_rules.h"
#include "schema/internal/keywords.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/validator.h"

namespace fairway::schema::internal {

namespace {

/// The way from an object to a default: names of members; an empty one is a list's item.
struct Step {
  const Step* outer;
  std::string_view name;
};

/// The context of a default: the path to it, and whether it is within the header.
struct Context {
  const Step* step = nullptr;
  /// True within apiVersion, kind or metadata.
  bool is_in_header = false;
};

class Defaults {
 public:
  Violations take() { return std::move(problems_); }

  /// `is_object`: the schema is that of an object with headers of its own.
  void check(const json::Object& schema, const std::string& path, Context context, bool is_object) {
    if (is_object) context = {};
    if (const json::Value* preset = default_of(schema))
      check_default(*preset, schema, path + ".default", context);
    if (const json::Object* items = object_at(schema, "items")) {
      const Step step{context.step, {}};
      check(*items, path + ".items", {&step, context.is_in_header}, is_embedded(*items));
    }
    const json::Object* properties = object_at(schema, "properties");
    if (properties == nullptr) return;
    for (const auto& property : *properties) {
      const std::string_view name = property.key();
      const json::Object* inner = property.value().if_object();
      if (inner == nullptr) continue;
      const Step step{context.step, name};
      check(*inner, path + ".properties[" + std::string(name) + ']',
            {&step, context.is_in_header || (is_object && is_header(name))}, is_embedded(*inner));
    }
  }

 private:
  void add(Violations problems) { problems_.insert(problems_.end(), problems.begin(), problems.end()); }

  void check_default(const json::Value& preset, const json::Object& schema, const std::string& path,
                     const Context& context) {
    if (context.is_in_header) {
      if (Violations problems = check_headers(object_around(preset, context.step)); !problems.empty()) {
        problems_.push_back(invalid(path, preset, "must result in valid metadata: " + list(problems)));
        return;
      }
    } else {
      json::Value pruned = preset;
      prune_part(pruned, schema);
      if (!k8s::equal(pruned, preset))
        problems_.push_back(invalid(path, preset, "must not have unknown fields"));
      if (Violations problems = check_headers_below(preset, schema, path); !problems.empty()) {
        return add(std::move(problems));
      }
    }
    add(Validator(schema).validate(preset, path));
  }

  static Violations check_headers_below(const json::Value& preset, const json::Object& schema,
                                        const std::string& path) {
    Violations problems;
    if (const json::Object* object = preset.if_object()) {
      if (is_embedded(schema)) problems = check_headers(*object, path);
      const Violations below = check_embedded_objects(*object, schema, path);
      problems.insert(problems.end(), below.begin(), below.end());
    } else if (const json::Array* array = preset.if_array()) {
      const json::Object* items = object_at(schema, "items");
      for (std::size_t i = 0; items != nullptr && i < array->size(); ++i) {
        const Violations below =
            check_headers_below((*array)[i], *items, path + '[' + std::to_string(i) + ']');
        problems.insert(problems.end(), below.begin(), below.end());
      }
    }
    return problems;
  }

  /// Returns an object that has nothing but the default, in its place.
  static json::Object object_around(const json::Value& preset, const Step* step) {
    json::Value value = preset;
    for (; step != nullptr; step = step->outer) {
      json::Value outer;
      if (step->name.empty()) {
        outer.emplace_array().push_back(std::move(value));
      } else {
        outer.emplace_object().emplace(step->name, std::move(value));
      }
      value = std::move(outer);
    }
    json::Object object = value.is_object() ? std::move(value.get_object()) : json::Object();
    if (!object.contains("apiVersion")) object["apiVersion"] = "validation/v1";
    if (!object.contains("kind")) object["kind"] = "Validation";
    return object;
  }

  static std::string list(const Violations& problems) {
    if (problems.size() == 1) return problems.front().to_string();
    std::string text = "[";
    for (const Violation& problem : problems) text += (text.size() > 1 ? ", " : "") + problem.to_string();
    return text + ']';
  }

  Violations problems_;
};

}  // namespace

Violations check_defaults(const json::Object& schema, std::string_view path) {
  Defaults defaults;
  defaults.check(schema, std::string(path), {}, true);
  return defaults.take();
}

}  // namespace fairway::schema::internal
