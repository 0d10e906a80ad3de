// SPDX-License-Identifier: Apache-2.0

// tests/k8s/data/names.json: the faults are those that the API server's own library gives.
#include "k8s/names.h"

#include <gtest/gtest.h>

#include <map>

#include "k8s/data.h"

namespace fairway::k8s {
namespace {

TEST(Names, AreJudgedAsTheTableSays) {
  const std::map<std::string, Faults (*)(std::string_view)> rules = {
      {"dns label", check_dns_label},           {"dns 1035 label", check_dns_1035_label},
      {"dns subdomain", check_dns_subdomain},   {"qualified name", check_qualified_name},
      {"annotation key", check_annotation_key}, {"label value", check_label_value},
      {"path segment", check_path_segment}};
  for (const json::Value& row : testing::read_cases("names.json")) {
    Faults expected;
    for (const json::Value& fault : testing::field(row, "faults").as_array()) {
      expected.emplace_back(fault.as_string());
    }
    EXPECT_EQ(rules.at(testing::text(row, "rule"))(testing::text(row, "text")), expected)
        << json::to_text(row);
  }
}

}  // namespace
}  // namespace fairway::k8s
