// SPDX-License-Identifier: Apache-2.0

#include "payload/image_mirror.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::payload {
namespace {

const std::string digest = "sha256:" + std::string(64, 'a');

std::vector<std::string> candidates(const std::string& image, const std::vector<std::string>& mirrors) {
  std::vector<ImageMirror> all;
  for (const std::string& mirror : mirrors) all.push_back(ImageMirror::parse(mirror).value());
  std::vector<std::string> texts;
  for (const auto& one : pull_candidates(oci::Reference::parse(image).value(), all))
    texts.push_back(one.to_string());
  return texts;
}

TEST(ImageMirrorTest, PutsMirrorsFirstAndKeepsTheDigest) {
  const std::string image = "quay.io/ocp/release@" + digest;
  EXPECT_EQ(candidates(image, {}), std::vector<std::string>{image});
  EXPECT_EQ(
      candidates(image, {"quay.io=host:5000/m", "quay.io/ocp=host:5000/n", "quay.io/ocp/release=o.io/p/q",
                         "quay.io/oc=wrong.io/x", "quay.io/ocp/rel=wrong.io/x"}),
      (std::vector<std::string>{"o.io/p/q@" + digest, "host:5000/n/release@" + digest,
                                "host:5000/m/ocp/release@" + digest, image}));
  EXPECT_EQ(candidates(image, {"quay.io/ocp=host:5000"}),
            (std::vector<std::string>{"host:5000/release@" + digest, image}));
  // A host for a whole repository has nothing that could be asked for.
  EXPECT_EQ(candidates(image, {"quay.io/ocp/release=host:5000"}), std::vector<std::string>{image});
}

TEST(ImageMirrorTest, RefusesWhatIsNoRepository) {
  for (const char* text :
       {"", "quay.io", "=", "quay.io=", "=quay.io", "quay.io/a:tag=b.io", "quay.io=b.io/a:tag",
        "quay.io/A=b.io", "quay.io=user:secret@b.io/x", "quay.io/a==b.io", "quay.io/a@sha256:1=b.io"}) {
    const auto mirror = ImageMirror::parse(text);
    EXPECT_FALSE(mirror) << text;
    if (!mirror) {
      EXPECT_EQ(mirror.error().code, ErrorCode::invalid);
    }
  }
  EXPECT_EQ(ImageMirror::parse("quay.io/a/=b.io:80/c/")->from, "quay.io/a");
  EXPECT_EQ(ImageMirror::parse("quay.io/a/=b.io:80/c/")->to, "b.io:80/c");
}

}  // namespace
}  // namespace fairway::payload
