// SPDX-License-Identifier: Apache-2.0

// Definitions in groups of Kubernetes's own.
#include "apiserver/internal/definitions/approval.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fairway::apiserver::definitions {
namespace {

json::Object definition(const std::string& group, const char* annotation) {
  json::Object metadata{{"name", "widgets." + group}};
  if (annotation != nullptr) metadata["annotations"] = json::Object{{approval_annotation, annotation}};
  return json::Object{{"metadata", std::move(metadata)},
                      {"spec", json::Object{{"group", group}}},
                      {"status", json::Object{{"conditions", json::Array{}}}}};
}

TEST(Approval, IsAConditionOfDefinitionsThatNeedOne) {
  struct Case {
    std::string group;
    const char* annotation;
    std::string expected;
  };
  const Case cases[] = {
      {"example.com", nullptr, ""},
      {"k8s.io.example.com", "unapproved", ""},
      {"a.k8s.io", nullptr,
       "False MissingAnnotation: protected groups must have approval annotation "
       "\"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"},
      {"a.k8s.io", "because",
       "False InvalidAnnotation: protected groups must have approval annotation "
       "\"api-approved.kubernetes.io\" with either a URL or a reason starting with \"unapproved\", see "
       "https://github.com/kubernetes/enhancements/pull/1111"},
      {"kubernetes.io", "unapproved, for a test",
       "False UnapprovedAnnotation: not approved: \"unapproved, for a test\""},
      {"a.kubernetes.io", "https://example.com/1",
       "True ApprovedAnnotation: approved in https://example.com/1"},
  };
  const WallTime now(std::chrono::seconds(1'800'000'000));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.group);
    json::Object document = definition(c.group, c.annotation);
    EXPECT_EQ(set_approval_condition(document, now), !c.expected.empty());
    std::string found;
    for (const k8s::View& condition : k8s::View(document).items("status.conditions")) {
      EXPECT_EQ(condition.text("type"), "KubernetesAPIApprovalPolicyConformant");
      found = std::string(condition.text("status")) + " " + std::string(condition.text("reason")) + ": " +
              std::string(condition.text("message"));
    }
    EXPECT_EQ(found, c.expected);
    EXPECT_FALSE(set_approval_condition(document, now)) << "nothing has changed";
  }
}

}  // namespace
}  // namespace fairway::apiserver::definitions
