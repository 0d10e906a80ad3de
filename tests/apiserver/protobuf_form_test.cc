// SPDX-License-Identifier: Apache-2.0

// The frames of a watch in protobuf that no object is in.
#include "apiserver/internal/watch/object_form.h"
#include "apiserver/objects_case.h"
#include "apiserver/protobuf_frames.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::testing {
namespace {

class ProtobufForm : public WithObjects {
 protected:
  watch::ObjectForm form(const k8s::GroupVersionKind& as = {}) {
    return {find("configmaps"), as, watch::IncludeObject::metadata, Clock::system(),
            watch::Encoding::protobuf};
  }
};

TEST_F(ProtobufForm, WritesTheEndOfAWatch) {
  std::string lines;
  form().append_error(lines, k8s::answer::expired("too old resource version: 1 (2)"));
  const auto all = frames(lines);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().first, "ERROR");
  EXPECT_EQ(all.front().second.at("kind"), "Status");
  EXPECT_EQ(all.front().second.at("code"), 410);
  EXPECT_EQ(all.front().second.at("reason"), "Expired");
  EXPECT_TRUE(form().ends_event(lines));
}

TEST_F(ProtobufForm, WritesBookmarksOfTheKindThatIsAskedFor) {
  std::string lines;
  form().append_bookmark(lines, 12, false, false);
  form({"meta.k8s.io", "v1", "PartialObjectMetadata"}).append_bookmark(lines, 13, true, false);
  const auto all = frames(lines);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).first, "BOOKMARK");
  EXPECT_EQ(all.at(0).second.at("kind"), "ConfigMap");
  EXPECT_EQ(all.at(0).second.at("metadata").at("resourceVersion"), "12");
  EXPECT_EQ(all.at(1).second.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(all.at(1).second.at("metadata").at("annotations").at("k8s.io/initial-events-end"), "true");
}

}  // namespace
}  // namespace fairway::apiserver::testing
