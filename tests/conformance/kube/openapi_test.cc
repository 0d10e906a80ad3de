// SPDX-License-Identifier: Apache-2.0

// The tables that views of Kubernetes's own kinds are checked against, compared with the OpenAPI documents
// that a real API server serves.
#include <span>

#include "conformance/kube/on_cluster.h"
#include "k8s/internal/kinds/openapi_admissionregistration.h"
#include "k8s/internal/kinds/openapi_apiextensions.h"
#include "k8s/internal/kinds/openapi_apiregistration.h"
#include "k8s/internal/kinds/openapi_apps.h"
#include "k8s/internal/kinds/openapi_batch.h"
#include "k8s/internal/kinds/openapi_coordination.h"
#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/internal/kinds/openapi_discovery.h"
#include "k8s/internal/kinds/openapi_meta.h"
#include "k8s/internal/kinds/openapi_rbac.h"

namespace fairway::conformance {
namespace {

using k8s::View;
using k8s::openapi::Definition;
using k8s::openapi::Type;

/// The type of a member in a document.
struct Found {
  Type type = Type::other;
  /// Name of the definition of the object, or of the list's items; empty if it has none of its own.
  std::string definition;
};

class Document {
 public:
  explicit Document(json::Value value) : value_(std::move(value)) {}

  const json::Object* definition(std::string_view name) const {
    const json::Value* found = schemas().json().if_contains(name);
    return found == nullptr ? nullptr : found->if_object();
  }

  Found type_of(View schema) const {
    if (const std::string name = reference(schema); !name.empty()) {
      const json::Object* target = definition(name);
      if (target == nullptr) return {};
      schema = View(*target);
      if (schema.has("properties") || schema.text("type") == "object") return {Type::object, name};
    }
    const std::string_view type = schema.text("type");
    if (type == "string") return {schema.text("format") == "date-time" ? Type::time : Type::text, {}};
    if (type == "integer") return {Type::integer, {}};
    if (type == "number") return {Type::number, {}};
    if (type == "boolean") return {Type::flag, {}};
    if (type == "array") {
      const Found item = type_of(schema.at("items"));
      if (item.type == Type::object) return {Type::object_list, item.definition};
      return {item.type == Type::text ? Type::text_list : Type::other, {}};
    }
    if (type == "object" && schema.has("additionalProperties")) {
      return {type_of(schema.at("additionalProperties")).type == Type::text ? Type::text_map : Type::other,
              {}};
    }
    return {type == "object" ? Type::object : Type::other, {}};
  }

 private:
  View schemas() const { return View(value_.as_object()).at("components.schemas"); }
  static std::string reference(const View& schema) {
    std::string_view target = schema.text("$ref");
    for (const View& one : schema.items("allOf")) {
      if (one.has("$ref")) target = one.text("$ref");
    }
    return std::string(target.substr(target.rfind('/') + 1));
  }

  json::Value value_;
};

struct Table {
  const char* path;
  std::span<const Definition* const> definitions;
};

const Table tables[] = {
    {"/openapi/v3/api/v1", k8s::openapi::core_definitions},
    {"/openapi/v3/api/v1", k8s::openapi::meta_definitions},
    {"/openapi/v3/apis/apps/v1", k8s::openapi::apps_definitions},
    {"/openapi/v3/apis/batch/v1", k8s::openapi::batch_definitions},
    {"/openapi/v3/apis/discovery.k8s.io/v1", k8s::openapi::discovery_definitions},
    {"/openapi/v3/apis/rbac.authorization.k8s.io/v1", k8s::openapi::rbac_definitions},
    {"/openapi/v3/apis/coordination.k8s.io/v1", k8s::openapi::coordination_definitions},
    {"/openapi/v3/apis/admissionregistration.k8s.io/v1", k8s::openapi::admissionregistration_definitions},
    {"/openapi/v3/apis/apiextensions.k8s.io/v1", k8s::openapi::apiextensions_definitions},
    {"/openapi/v3/apis/apiregistration.k8s.io/v1", k8s::openapi::apiregistration_definitions},
};

class OpenApi : public OnCluster {};

TEST_F(OpenApi, TablesOfViewsAreWhatTheServerServes) {
  int members = 0;
  for (const Table& table : tables) {
    std::string body;
    ASSERT_OK(client->send({.path = table.path}, body));
    auto parsed = json::parse(body);
    ASSERT_OK(parsed);
    const Document document(*std::move(parsed));
    for (const Definition* definition : table.definitions) {
      const json::Object* served = document.definition(definition->name);
      if (served == nullptr) {
        ADD_FAILURE() << table.path << " has no " << definition->name;
        continue;
      }
      const View properties = View(*served).at("properties");
      for (const auto& member : definition->members) {
        ++members;
        const json::Value* schema = properties.json().if_contains(member.name);
        if (schema == nullptr) {
          ADD_FAILURE() << definition->name << " has no " << member.name;
          continue;
        }
        const Found found = document.type_of(View(schema->as_object()));
        EXPECT_EQ(found.type, member.type) << definition->name << "." << member.name;
        if (member.of != nullptr) {
          EXPECT_EQ(found.definition, member.of->name) << definition->name << "." << member.name;
        }
      }
    }
  }
  EXPECT_GT(members, 500);
}

}  // namespace
}  // namespace fairway::conformance
