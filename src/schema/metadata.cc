// SPDX-License-Identifier: Apache-2.0

#include "schema/metadata.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "k8s/group_version.h"
#include "k8s/names.h"
#include "k8s/view.h"
#include "schema/internal/keywords.h"
#include "schema/internal/place.h"
#include "schema/schema.h"

namespace fairway::schema {

namespace {

using internal::Place;

/// Returns the name that Go's JSON reader has for the kind of a value that does not fit a field.
std::string_view go_kind(const json::Value& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  return value.is_bool() ? "bool" : "number";
}

std::string misfit(const json::Value& value, std::string_view where, std::string_view type) {
  return "json: cannot unmarshal " + std::string(go_kind(value)) + " into Go " + std::string(where) +
         " of type " + std::string(type);
}

struct MetadataField {
  std::string_view name;
  /// Go's type.
  std::string_view type;
};

constexpr std::array metadata_fields{MetadataField{"name", "string"},
                                     MetadataField{"generateName", "string"},
                                     MetadataField{"namespace", "string"},
                                     MetadataField{"selfLink", "string"},
                                     MetadataField{"uid", "types.UID"},
                                     MetadataField{"resourceVersion", "string"},
                                     MetadataField{"generation", "int64"},
                                     MetadataField{"creationTimestamp", "string"},
                                     MetadataField{"deletionTimestamp", "string"},
                                     MetadataField{"deletionGracePeriodSeconds", "int64"},
                                     MetadataField{"labels", "map[string]string"},
                                     MetadataField{"annotations", "map[string]string"},
                                     MetadataField{"ownerReferences", "[]v1.OwnerReference"},
                                     MetadataField{"finalizers", "[]string"},
                                     MetadataField{"managedFields", "[]v1.ManagedFieldsEntry"}};

/// The first member that has a wrong type, in Go's words.
std::optional<std::string> find_misfit(const json::Value& metadata) {
  if (metadata.is_null()) return std::nullopt;
  if (!metadata.is_object()) return misfit(metadata, "value", "v1.ObjectMeta");
  for (const auto& member : metadata.get_object()) {
    const auto field =
        std::ranges::find(metadata_fields, std::string_view(member.key()), &MetadataField::name);
    const json::Value& value = member.value();
    if (field == metadata_fields.end() || value.is_null()) continue;
    const std::string where = "struct field ObjectMeta." + std::string(field->name);
    const std::string_view type = field->type;
    const bool fits = type == "int64"           ? value.is_int64()
                      : type.starts_with("map") ? value.is_object()
                      : type.starts_with('[')   ? value.is_array()
                                                : value.is_string();
    if (!fits) return misfit(value, where, type);
    if (type == "map[string]string") {
      for (const auto& entry : value.get_object()) {
        if (!entry.value().is_string() && !entry.value().is_null())
          return misfit(entry.value(), where, "string");
      }
    } else if (type == "[]string") {
      for (const json::Value& item : value.get_array()) {
        if (!item.is_string() && !item.is_null()) return misfit(item, where, "string");
      }
    } else if (type.starts_with('[')) {
      for (const json::Value& item : value.get_array()) {
        if (!item.is_object() && !item.is_null()) return misfit(item, where, type.substr(2));
      }
    }
  }
  return std::nullopt;
}

class Headers {
 public:
  explicit Headers(std::string_view prefix) : prefix_(prefix) {}
  Violations take() { return std::move(problems_); }

  void check(const json::Object& object, const Place& place) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = object.if_contains(name);
      const std::string path = place.member(name).field(prefix_);
      if (value == nullptr) {
        problems_.push_back(required(path, {}));
      } else if (!value->is_string()) {
        problems_.push_back(invalid(path, *value, "must be a string"));
      } else if (value->get_string().empty()) {
        problems_.push_back(invalid(path, *value, "must not be empty"));
      } else {
        check_header(name, std::string_view(value->get_string()), path);
      }
    }
    if (const json::Value* metadata = object.if_contains("metadata")) check_metadata(*metadata, place);
  }

  void check_below(const json::Value& value, const json::Object* schema, const Place& place) {
    if (schema == nullptr) return;
    if (const json::Object* object = value.if_object()) {
      if (internal::is_embedded(*schema)) check(*object, place);
      check_members(*object, *schema, place);
    } else if (const json::Array* array = value.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i)
        check_below((*array)[i], item_schema(*schema), place.item(i));
    }
  }

  void check_members(const json::Object& object, const json::Object& schema, const Place& place) {
    for (const auto& member : object) {
      const json::Object* property = internal::property_of(schema, member.key());
      check_below(member.value(), property != nullptr ? property : member_schema(schema, member.key()),
                  property != nullptr ? place.member(member.key()) : place.key(member.key()));
    }
  }

 private:
  void check_header(std::string_view name, std::string_view text, const std::string& path) {
    if (name == "apiVersion") {
      if (std::ranges::count(text, '/') > 1) {
        problems_.push_back(invalid(path, text, "unexpected GroupVersion string: " + std::string(text)));
      }
      return;
    }
    const k8s::Faults faults = k8s::check_dns_1035_label(to_lower(text));
    if (faults.empty()) return;
    std::string detail = "may have mixed case, but should otherwise match: ";
    for (const std::string& fault : faults) detail += (&fault == &faults.front() ? "" : ",") + fault;
    problems_.push_back(invalid(path, text, detail));
  }

  void add(const k8s::Faults& faults, std::string_view value, const std::string& path) {
    for (const std::string& fault : faults) problems_.push_back(invalid(path, value, fault));
  }

  void check_metadata(const json::Value& value, const Place& place) {
    const std::string path = place.member("metadata").field(prefix_);
    if (const auto fault = find_misfit(value)) {
      problems_.push_back(invalid(path, value, *fault));
      return;
    }
    if (value.is_null()) return;
    const k8s::View metadata(value.get_object());
    const std::string_view generate_name = metadata.text("generateName"), name = metadata.text("name"),
                           in_namespace = metadata.text("namespace");
    if (!generate_name.empty()) add(check_name_prefix(generate_name), generate_name, path + ".generateName");
    if (!name.empty()) add(k8s::check_path_segment(name), name, path + ".name");
    if (!in_namespace.empty()) add(k8s::check_dns_label(in_namespace), in_namespace, path + ".namespace");
    if (metadata.integer("generation") < 0) {
      problems_.push_back(invalid(path + ".generation", metadata.integer("generation"),
                                  "must be greater than or equal to 0"));
    }
    for (const auto& [key, label] : metadata.map("labels")) {
      add(k8s::check_qualified_name(key), key, path + ".labels");
      add(k8s::check_label_value(label), label, path + ".labels");
    }
    check_annotations(metadata, path + ".annotations");
    check_owners(metadata, path + ".ownerReferences");
    check_finalizers(metadata, path + ".finalizers");
  }

  /// Checks the prefix of a generated name, which may end with characters that a whole name may not.
  static k8s::Faults check_name_prefix(std::string_view text) {
    return text == "." || text == ".." ? k8s::Faults{} : k8s::check_path_segment(text);
  }

  void check_annotations(const k8s::View& metadata, const std::string& path) {
    constexpr std::size_t most_bytes = std::size_t{256} << 10;
    std::size_t bytes = 0;
    for (const auto& [key, text] : metadata.map("annotations")) {
      add(k8s::check_annotation_key(key), key, path);
      bytes += key.size() + text.size();
    }
    if (bytes > most_bytes) problems_.push_back(too_long(path, most_bytes));
  }

  /// The owners as Go prints them, whose members have an order.
  static std::string go_text_of_owners(const k8s::View& metadata) {
    json::Array owners;
    for (const k8s::View& owner : metadata.items("ownerReferences")) {
      json::Object written;
      for (const char* name : {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
        if (const json::Value* value = owner.find(name)) written[name] = *value;
      }
      owners.emplace_back(std::move(written));
    }
    return json::to_text(owners);
  }

  void check_owners(const k8s::View& metadata, const std::string& path) {
    // The API server does not say which one.
    std::string controller;
    for (const k8s::View& owner : metadata.items("ownerReferences")) {
      const std::string_view api_version = owner.text("apiVersion");
      if (api_version.empty() || api_version.ends_with('/')) {
        problems_.push_back(invalid(path + ".apiVersion", api_version, "version must not be empty"));
      }
      for (const std::string_view name : {"kind", "name", "uid"}) {
        if (owner.text(name).empty()) {
          problems_.push_back(invalid(path + '.' + std::string(name), "", "must not be empty"));
        }
      }
      if (api_version == "v1" && owner.text("kind") == "Event") {
        problems_.push_back(
            invalid(path, json::Value(owner.json()), "/v1, Kind=Event is disallowed from being an owner"));
      }
      if (!owner.flag("controller")) continue;
      const std::string name = std::string(owner.text("kind")) + "/" + std::string(owner.text("name"));
      if (controller.empty()) {
        controller = name;
        continue;
      }
      Violation problem = invalid(path, "", "");
      problem.message =
          "Invalid value: " + go_text_of_owners(metadata) +
          ": Only one reference can have Controller set to true. Found \"true\" in references for " +
          controller + " and " + name;
      problems_.push_back(std::move(problem));
    }
  }

  void check_finalizers(const k8s::View& metadata, const std::string& path) {
    const auto finalizers = metadata.texts("finalizers");
    for (const std::string_view finalizer : finalizers)
      add(k8s::check_qualified_name(finalizer), finalizer, path);
    const auto has = [&](std::string_view name) {
      return std::ranges::find(finalizers, name) != finalizers.end();
    };
    if (has("orphan") && has("foregroundDeletion")) {
      problems_.push_back(invalid(path, *metadata.find("finalizers"),
                                  "finalizer orphan and foregroundDeletion cannot be both set"));
    }
  }

  std::string_view prefix_;
  Violations problems_;
};

}  // namespace

Violations check_headers(const json::Object& object, std::string_view prefix) {
  Headers headers(prefix);
  headers.check(object, Place::root());
  return headers.take();
}

Violations check_embedded_objects(const json::Object& object, const json::Object& schema,
                                  std::string_view prefix) {
  Headers headers(prefix);
  headers.check_members(object, schema, Place::root());
  return headers.take();
}

}  // namespace fairway::schema
