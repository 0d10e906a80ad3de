// SPDX-License-Identifier: Apache-2.0

#include "payload/release_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "k8s/documents.h"
#include "k8s/equality.h"
#include "k8s/view.h"

namespace fairway::payload {
namespace {

k8s::Dynamic object(const std::string& text) {
  return k8s::Dynamic::parse(text).value();
}

std::vector<std::string> texts(const k8s::View& view, std::string_view path) {
  const auto found = view.texts(path);
  return {found.begin(), found.end()};
}

std::map<std::string, std::string> entries(const k8s::View& view, std::string_view path) {
  std::map<std::string, std::string> found;
  for (const auto& [key, value] : view.map(path)) found.emplace(key, value);
  return found;
}

/// Makes a release of a case: its objects, and what else is said of it.
ReleaseImage release_of(const k8s::View& about, const std::vector<k8s::View>& objects,
                        const std::string& otherwise) {
  ReleaseImage release;
  release.version = Version::parse(about.text("version", otherwise)).value();
  release.metadata = entries(about, "metadata");
  release.image_references = entries(about, "images");
  release.previous = texts(about, "previous");
  release.next = texts(about, "next");
  for (const k8s::View& one : objects)
    release.manifests.push_back({.file = "0000_05_a.yaml", .object = k8s::Dynamic(one.json())});
  return release;
}

/// Returns the members that say that something changes.
json::Object telling(const json::Object& all, const std::vector<std::string>& ignored) {
  json::Object some;
  for (const auto& [key, value] : all) {
    const bool says_nothing = value == json::Value(false) ||
                              (value.is_array() && value.get_array().empty()) ||
                              (value.is_number() && value.to_number<double>() == 0);
    if (!says_nothing && std::ranges::find(ignored, key) == ignored.end()) some.emplace(key, value);
  }
  return some;
}

TEST(ReleaseDiffTest, SaysWhatAnUpdateChanges) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/payload/data/release-diff.yaml");
  ASSERT_TRUE(text.has_value());
  const auto documents = k8s::read_documents(*text);
  ASSERT_TRUE(documents.has_value()) << documents.error().message;
  const json::Array& cases = documents->front().value.as_array();
  ASSERT_GE(cases.size(), 20U);
  for (const json::Value& one : cases) {
    const k8s::View row(one.as_object());
    SCOPED_TRACE(row.text("name"));
    Selection selection;
    selection.profile = row.text("selection.profile", selection.profile);
    selection.feature_set = row.text("selection.featureSet");
    const auto diff =
        diff_releases(release_of(row.at("fromRelease"), row.items<k8s::View>("from"), "4.6.23"),
                      release_of(row.at("toRelease"), row.items<k8s::View>("to"), "4.7.4"), selection);
    ASSERT_TRUE(diff.has_value()) << diff.error().message;
    const json::Object found = telling(to_json(*diff), texts(row, "ignored"));
    EXPECT_TRUE(k8s::equal(json::Value(found), *row.find("diff"))) << json::to_pretty_text(found);
  }
}

TEST(ReleaseDiffTest, NamesTheReleaseThatCannotBeApplied) {
  ReleaseImage good, bad;
  good.version = Version::parse("4.6.23").value();
  bad.version = Version::parse("4.7.4").value();
  for (int i = 0; i < 2; ++i)
    bad.manifests.push_back({.file = "a.yaml",
                             .document = i + 1,
                             .object = object(R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a"}})")});
  const auto diff = diff_releases(good, bad, {});
  ASSERT_FALSE(diff.has_value());
  EXPECT_EQ(diff.error().message,
            "reading the release 4.7.4: a.yaml, document 2 (line 1): a \"a\" is there already: a.yaml, "
            "document 1 (line 1)");
}

TEST(ReleaseDiffTest, KeepsTheFirstFieldsAndCountsTheOthers) {
  json::Object before, after;
  for (int i = 0; i < 1000; ++i) {
    before["k" + std::to_string(i)] = std::string(1000, 'a');
    after["k" + std::to_string(i)] = std::string(1000, 'b');
  }
  const FieldChanges changes = find_field_changes(before, after);
  EXPECT_EQ(changes.count, 1000U);
  ASSERT_EQ(changes.fields.size(), max_field_changes);
  EXPECT_EQ(changes.fields[0].path, "k0");
  EXPECT_LE(changes.fields[0].before->size(), max_value_bytes);
  EXPECT_TRUE(changes.fields[0].before->ends_with("..."));
}

TEST(ReleaseDiffTest, ALongListThatIsTurnedAroundIsComparedInNoTime) {
  json::Array before, after;
  for (int i = 0; i < 50'000; ++i) {
    before.emplace_back(i);
    after.emplace_back(50'000 - i);
  }
  const FieldChanges changes = find_field_changes({{"a", before}}, {{"a", after}});
  EXPECT_EQ(changes.count, 2U);
  EXPECT_EQ(changes.fields[0].after, "50000");
  EXPECT_EQ(changes.fields[1].before, "0");
}

}  // namespace
}  // namespace fairway::payload
