// SPDX-License-Identifier: Apache-2.0

// Tables of the members of custom kinds (src/cli/crd_paths).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "base/file.h"
#include "cli/crd_paths/tables.h"

namespace fairway::cli {
namespace {

const std::string data = std::string(FAIRWAY_SOURCE_DIR) + "/tests/cli/data/crd-paths/";

std::string definition(const std::string& kind, const std::string& version, const std::string& schema) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
         "a.example.com}\n"
         "spec:\n  group: example.com\n  names: {kind: " +
         kind +
         ", plural: a}\n  scope: Cluster\n"
         "  versions:\n  - {name: " +
         version + ", served: true, storage: true" + schema + "}\n";
}

std::string error_of(const std::string& text) {
  const auto tables = definition_tables(text, "crd.yaml");
  return tables ? "no error" : tables.error().message;
}

constexpr const char* a_schema = ", schema: {openAPIV3Schema: {type: object}}";

TEST(CrdPaths, HaveEachTypeOfMember) {
  const auto tables = definition_tables(read_file(data + "types.yaml").value(), "types.yaml");
  ASSERT_TRUE(tables) << tables.error().message;
  const std::string golden = data + "types.paths.h";
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << *tables;
  EXPECT_EQ(*tables, read_file(golden).value());
}

TEST(CrdPaths, AreNamedAfterKindAndVersion) {
  for (const auto& [kind, name] : {std::pair{"Widget", "widget_v1"},
                                   {"GearBox", "gear_box_v1"},
                                   {"HTTPRoute", "http_route_v1"},
                                   {"X509Cert", "x509_cert_v1"}}) {
    const auto tables = definition_tables(definition(kind, "v1", a_schema), "crd.yaml");
    ASSERT_TRUE(tables) << tables.error().message;
    EXPECT_NE(tables->find("inline constexpr Definition " + std::string(name) + "{"), std::string::npos)
        << *tables;
  }
}

TEST(CrdPaths, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("a: b: c"), "reading crd.yaml: line 1: mapping values are not allowed in this context");
  EXPECT_EQ(error_of("apiVersion: v1\nkind: Namespace\n"),
            "reading crd.yaml: there is no CustomResourceDefinition (apiextensions.k8s.io/v1)");
  EXPECT_EQ(error_of(definition("Widget", "v1", "")),
            "reading crd.yaml, line 9: example.com/v1 Widget has no schema.openAPIV3Schema");
  EXPECT_EQ(error_of(definition("Wid-get", "v1", a_schema)),
            "reading crd.yaml, line 6: the kind 'Wid-get' has to be letters and digits, a letter first: it "
            "becomes a "
            "part of a name in C++");
  EXPECT_TRUE(
      error_of(definition("9x", "v1", a_schema)).starts_with("reading crd.yaml, line 6: the kind '9x' has"));
  EXPECT_EQ(
      error_of(definition("Widget", "1v", a_schema)),
      "reading crd.yaml, line 9: the version '1v' has to be letters and digits, a letter first, such as "
      "v1alpha1");
  const std::string once = definition("Widget", "v1", a_schema);
  EXPECT_EQ(error_of(once + "---\n" + once),
            "reading crd.yaml, line 19: example.com/v1 Widget: there are two kinds that would be "
            "crd::widget_v1");
}

TEST(CrdPaths, SayWhereATypeIsThatThereIsNot) {
  const auto with = [](const std::string& schema) {
    return definition("Widget", "v1", ", schema: {openAPIV3Schema: {" + schema + "}}");
  };
  for (const auto& [schema, says] :
       {std::pair<std::string, std::string>{"type: objekt",
                                            "openAPIV3Schema has the type 'objekt'; did you mean object?"},
        {"type: object, properties: {\n    spec: {type: object, properties: {\n    size: {type: int}}}}",
         "spec.size has the type 'int'; there are array, boolean, integer, number, object, string"},
        {"properties: {a: {type: array,\n    items: {\n    type: text}}}",
         "a[] has the type 'text'; there are array, boolean, integer, number, object, string"},
        {"properties: {\n    a: {type: object, additionalProperties: {\n    type: strin}}}",
         "a[*] has the type 'strin'; did you mean string?"},
        {"properties: {\n    a: {type: array, items: {type: object, properties: {\n    b: {type: "
         "[string]}}}}}",
         "a[].b has the type '[\"string\"]'; there are array, boolean, integer, number, object, string"}}) {
    const std::string text = with(schema);
    const auto line = 9 + std::ranges::count(schema, '\n');
    EXPECT_EQ(error_of(text),
              "reading crd.yaml, line " + std::to_string(line) + ": example.com/v1 Widget: " + says);
  }
  EXPECT_EQ(error_of(with("properties: {a: {type: null}, b: {x-kubernetes-int-or-string: true}}")),
            "no error");
}

}  // namespace
}  // namespace fairway::cli
