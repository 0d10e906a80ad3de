// SPDX-License-Identifier: Apache-2.0

// OpenAPI documents beside gnostic, with which kube-apiserver makes protobuf of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "apiserver/internal/openapi/node_yaml.h"
#include "base/json.h"
#include "conformance/apiserver/programs.h"

namespace fairway::conformance {
namespace {

TEST(OpenApi, HasValuesInTheYamlOfGnostic) {
  const auto compare = [](const json::Value& test, std::map<std::string, int>& counts) -> std::string {
    const json::Value* value = json::find(test, "value");
    const auto wanted = json::find_string(test, "yaml");
    if (value == nullptr || !wanted) return "the case cannot be read";
    const std::string made = apiserver::openapi::node_yaml(*value);
    ++counts[value->is_string() ? "texts" : "values"];
    return made == *wanted ? std::string() : first_difference(made, std::string(*wanted));
  };
  auto [counts, differences] = compare_cases(
      "openapi-documents", {"yaml", std::to_string(seed()), everything() ? "500000" : "20000"}, {}, compare);
  EXPECT_EQ(differences, 0);
  EXPECT_GT(counts["texts"], 1000);
  EXPECT_GT(counts["values"], 1000);
}

TEST(OpenApi, IsInProtobufWhatItIsInJson) {
  const char* judges = std::getenv("FAIRWAY_JUDGES");
  ASSERT_NE(judges, nullptr) << "start this by ./dev conformance apiserver";
  const std::string command = "'" FAIRWAY_BINARY
                              "' apiserver --memory --listen 127.0.0.1:0 --log-level error -- '" +
                              std::string(judges) + "/openapi-documents'";
  EXPECT_EQ(std::system(command.c_str()), 0) << "what failed is above";
}

}  // namespace
}  // namespace fairway::conformance
