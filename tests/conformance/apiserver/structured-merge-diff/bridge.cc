// SPDX-License-Identifier: Apache-2.0

// structured-merge-diff's own tests ask this program, one JSON line a question and one a reply, in place of
// their own functions (_overlay/). A question that needs a conversion between versions asks back.
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "apiserver/internal/apply/parse_path_element.h"
#include "apiserver/internal/apply/updater.h"
#include "base/json.h"
#include "support/smd_schema.h"

namespace fairway::conformance {
namespace {

using namespace apiserver::apply;

/// An error that the reply reports.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
T require(Result<T> result) {
  if (!result) throw Failure(result.error().message);
  return std::move(*result);
}

const json::Value& at(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, key);
  if (found == nullptr) throw Failure("the question has no " + std::string(key));
  return *found;
}

std::string text(const json::Value& value, std::string_view key) {
  return std::string(at(value, key).as_string());
}

FieldSet read_set(const json::Value& value) {
  return require(FieldSet::from_fields_v1(value));
}

PathElement read_element(std::string_view text) {
  auto element = require(internal::parse_path_element(text));
  if (!element) throw Failure("unknown path element type");
  return *element;
}

Path read_path(const json::Value& value) {
  Path path;
  for (const json::Value& element : value.as_array()) path.push_back(read_element(element.as_string()));
  return path;
}

json::Value write_path(const Path& path) {
  json::Array out;
  for (const PathElement& element : path) out.emplace_back(element.serialize());
  return out;
}

class Bridge {
 public:
  void run() {
    std::string line;
    while (std::getline(std::cin, line)) {
      json::Value reply;
      try {
        reply = answer(require(json::parse(line)));
      } catch (const std::exception& failure) {
        reply = json::Object{{"error", failure.what()}};
      }
      say(reply);
    }
  }

 private:
  static void say(const json::Value& value) { std::cout << json::to_text(value) << std::endl; }

  TypedValue read_typed(const json::Value& value) {
    const std::int64_t id = at(value, "schema").as_int64();
    if (const json::Value* definition = json::find(value, "definition")) {
      schemas_[id] = std::make_unique<testing::SmdSchema>(*definition);
    }
    const TypeRef type = schemas_.at(id)->resolve(at(value, "type"));
    places_[type.type] = json::Object{{"schema", id}, {"type", at(value, "type")}};
    return TypedValue::unchecked(std::make_shared<const json::Value>(at(value, "value")), type);
  }

  json::Value write_typed(const TypedValue& value) {
    json::Object out = places_.at(value.type().type);
    out["value"] = value.value();
    return out;
  }

  static json::Value write_owners(const Owners& owners) {
    json::Object out;
    for (const auto& [manager, owned] : owners) {
      out.emplace(manager, json::Object{{"set", owned.set.to_fields_v1()},
                                        {"version", owned.api_version},
                                        {"applied", owned.applied}});
    }
    return out;
  }

  static Owners read_owners(const json::Value& value) {
    Owners owners;
    for (const auto& entry : value.as_object()) {
      owners[entry.key()] = {read_set(at(entry.value(), "set")), text(entry.value(), "version"),
                             at(entry.value(), "applied").as_bool()};
    }
    return owners;
  }

  /// The patterns of an include filter: each a list of elements, null for any.
  static FieldFilter read_filter(const json::Value& value) {
    if (const json::Value* excluded = json::find(value, "exclude")) {
      return FieldFilter::exclude(read_set(*excluded));
    }
    std::optional<PathPattern> pattern;
    for (const json::Value& prefix : at(value, "include").as_array()) {
      std::vector<std::optional<PathElement>> steps;
      for (const json::Value& step : prefix.as_array()) {
        if (step.is_null()) {
          steps.emplace_back();
        } else {
          steps.emplace_back(read_element(step.as_string()));
        }
      }
      const PathPattern one = PathPattern::prefix(steps);
      pattern = pattern ? pattern->merged(one) : one;
    }
    return FieldFilter::include(pattern.value_or(PathPattern()));
  }

  Updater read_updater(const json::Value& question) {
    FieldFilters ignored;
    for (const auto& entry : at(question, "ignored").as_object()) {
      ignored.emplace(entry.key(), read_filter(entry.value()));
    }
    const auto convert = [this](const TypedValue& value, const std::string& version) -> Result<TypedValue> {
      say(json::Object{{"convert", write_typed(value)}, {"version", version}});
      std::string line;
      if (!std::getline(std::cin, line)) throw Failure("no reply to a conversion");
      const json::Value reply = require(json::parse(line));
      if (const json::Value* error = json::find(reply, "error")) {
        const bool missing = at(reply, "missing").as_bool();
        return fail(missing ? ErrorCode::not_found : ErrorCode::invalid, std::string(error->as_string()));
      }
      return read_typed(at(reply, "typed"));
    };
    return Updater(convert, std::move(ignored));
  }

  json::Value update(const json::Value& question) {
    const TypedValue live = read_typed(at(question, "live"));
    const TypedValue next = read_typed(at(question, "next"));
    const auto owners =
        read_updater(question).update(live, next, text(question, "version"),
                                      read_owners(at(question, "owners")), text(question, "manager"));
    return json::Object{{"owners", write_owners(require(owners))}};
  }

  json::Value apply(const json::Value& question) {
    const TypedValue live = read_typed(at(question, "live"));
    const TypedValue config = read_typed(at(question, "next"));
    const auto applied = read_updater(question).apply(
        live, config, text(question, "version"), read_owners(at(question, "owners")),
        text(question, "manager"), at(question, "force").as_bool());
    if (!applied) {
      if (const Error* error = std::get_if<Error>(&applied.error())) throw Failure(error->message);
      json::Array conflicts;
      for (const Conflict& one : std::get<Conflicts>(applied.error())) {
        conflicts.push_back(json::Object{{"manager", one.manager}, {"path", write_path(one.path)}});
      }
      return json::Object{{"conflicts", conflicts}};
    }
    json::Object reply{{"owners", write_owners(applied->owners)}};
    if (applied->value) reply["typed"] = write_typed(*applied->value);
    return reply;
  }

  json::Value answer_about_sets(const std::string& what, const json::Value& question) {
    if (what == "parse") {
      return json::Object{{"text", read_set(require(json::parse(text(question, "text")))).to_text()}};
    }
    if (what == "path_string") return json::Object{{"text", to_string(read_path(at(question, "path")))}};
    if (what == "element") return json::Object{{"text", read_element(text(question, "text")).serialize()}};
    FieldSet set = read_set(at(question, "set"));
    if (what == "serialize") return json::Object{{"text", set.to_text()}};
    if (what == "has") return json::Object{{"has", set.has(read_path(at(question, "path")))}};
    if (what == "insert") {
      set.insert(read_path(at(question, "path")));
    } else if (what == "union") {
      set = set.united(read_set(at(question, "other")));
    } else if (what == "intersection") {
      set = set.intersection(read_set(at(question, "other")));
    } else if (what == "difference") {
      set = set.difference(read_set(at(question, "other")));
    } else if (what == "recursive_difference") {
      set = set.recursive_difference(read_set(at(question, "other")));
    } else if (what == "leaves") {
      set = set.leaves();
    } else if (what == "filter") {
      set = read_filter(at(question, "filter")).filter(set);
    } else if (what == "named_fields") {
      set = set.with_named_fields(read_typed(at(question, "typed")).type().resolve());
    } else {
      throw Failure("unknown question " + what);
    }
    return json::Object{{"set", set.to_fields_v1()}};
  }

  json::Value answer(const json::Value& question) {
    const std::string what = text(question, "ask");
    if (what == "update") return update(question);
    if (what == "apply") return apply(question);
    if (json::find(question, "set") != nullptr && what == "reconcile") {
      return json::Object{
          {"set", require(read_typed(at(question, "typed")).reconcile(read_set(at(question, "set"))))
                      .to_fields_v1()}};
    }
    if (json::find(question, "left") == nullptr) return answer_about_sets(what, question);
    const TypedValue left = read_typed(at(question, "left"));
    if (what == "validate") {
      const auto duplicates =
          at(question, "duplicates").as_bool() ? Duplicates::allowed : Duplicates::refused;
      require(TypedValue::check(left.shared_value(), left.type(), duplicates));
      return json::Object{};
    }
    if (what == "to_field_set") return json::Object{{"set", require(left.to_field_set()).to_fields_v1()}};
    if (what == "merge") {
      return json::Object{{"typed", write_typed(require(left.merge(read_typed(at(question, "right")))))}};
    }
    if (what == "compare") {
      const Comparison compared = require(left.compare(read_typed(at(question, "right"))));
      return json::Object{{"removed", compared.removed.to_fields_v1()},
                          {"modified", compared.modified.to_fields_v1()},
                          {"added", compared.added.to_fields_v1()}};
    }
    const FieldSet items = read_set(at(question, "items"));
    if (what == "remove") return json::Object{{"typed", write_typed(left.remove_items(items))}};
    if (what == "extract") {
      return json::Object{{"typed", write_typed(left.extract_items(items, at(question, "keys").as_bool()))}};
    }
    throw Failure("unknown question " + what);
  }

  std::map<std::int64_t, std::unique_ptr<testing::SmdSchema>> schemas_;
  /// The names of types for the other side.
  std::map<const Type*, json::Object> places_;
};

}  // namespace
}  // namespace fairway::conformance

int main() {
  std::ios::sync_with_stdio(false);
  fairway::conformance::Bridge().run();
}
