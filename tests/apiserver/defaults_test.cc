// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/defaults.h"

#include <gtest/gtest.h>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "support/cases.h"

namespace fairway::apiserver::kinds {
namespace {

// tests/conformance/kube/kinds-defaults has made the file of its documents: what Kubernetes's own code fills
// in.
TEST(Defaults, AreThoseOfKubernetes) {
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/defaults.json")) {
    const json::Value& document = fairway::testing::field(one, "document");
    SCOPED_TRACE(json::to_text(document));
    const auto group_version = k8s::GroupVersion::parse(fairway::testing::text(document, "apiVersion"));
    const MessageType* type =
        Kinds::find({group_version->group, group_version->version, fairway::testing::text(document, "kind")});
    ASSERT_NE(type, nullptr);
    const auto made = apply_defaults(*read_typed(document, *type), *type);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(json::to_text(*made), json::to_text(fairway::testing::field(one, "defaulted")));
    EXPECT_EQ(json::to_text(*apply_defaults(*made, *type)), json::to_text(*made)) << "again";
  }
}

TEST(Defaults, AreOfObjectsInListsToo) {
  const MessageType& type = *Kinds::find({"", "v1", "SecretList"});
  EXPECT_EQ(json::to_text(*apply_defaults(*json::parse(R"({"items":[{},{"type":"x"}]})"), type)),
            R"({"metadata":{},"items":[{"metadata":{},"type":"Opaque"},{"metadata":{},"type":"x"}]})");
}

}  // namespace
}  // namespace fairway::apiserver::kinds
