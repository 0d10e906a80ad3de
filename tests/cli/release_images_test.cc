// SPDX-License-Identifier: Apache-2.0

// `fairway release` with images in a registry: those of tests/cli/data/release-diff, and what it prints of
// them. FAIRWAY_UPDATE_GOLDEN=1 writes what it prints now.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "oci/fake_registry.h"
#include "oci/images.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(FAIRWAY_SOURCE_DIR) / "tests/cli/data/release-diff";

struct Outcome {
  int exit_code = 0;
  std::string output, errors;
};

class ReleaseImages : public ::testing::Test {
 protected:
  /// Adds a release with these files of manifests, by its version as tag.
  void add(const std::string& version, std::vector<testing::TarEntry> files,
           const std::vector<std::string>& previous = {}) {
    files.push_back({"release-manifests/release-metadata", testing::release_metadata(version, previous)});
    registry_.tag(version, testing::make_image({.layers = {testing::make_tar(files, "gzip")}}));
  }
  void add_folder(const std::string& version, const std::string& folder,
                  const std::vector<std::string>& previous = {}) {
    std::vector<testing::TarEntry> files;
    for (const auto& entry : fs::directory_iterator(data / folder))
      files.push_back(
          {"release-manifests/" + entry.path().filename().string(), read_file(entry.path()).value()});
    add(version, std::move(files), previous);
  }

  /// Runs a subcommand with these images. The registry's address and digests are masked.
  Outcome run(const std::string& command, const std::vector<std::string>& versions,
              const std::string& flags = "") {
    std::string line = "'" FAIRWAY_BINARY "' release " + command;
    for (const std::string& version : versions)
      line += " " + registry_.address() + "/gears/release:" + version;
    const std::string output = (folder_ / "output").string(), errors = (folder_ / "errors").string();
    line += " --registry-plain-http " + flags + " >'" + output + "' 2>'" + errors + "'";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), masked(read_file(output).value()), masked(read_file(errors).value())};
  }
  Outcome diff(const std::string& from, const std::string& to, const std::string& flags = "") {
    return run("diff", {from, to}, flags);
  }

  /// Pushes the image of a folder that `release new` has made, as tools push an image layout.
  void push_layout(const std::string& version, const fs::path& layout) {
    const auto index = json::parse(read_file(layout / "index.json").value()).value();
    testing::TestImage image{.media_type = oci::media_type::oci_manifest};
    image.digest = *json::find_string(json::find(index, "manifests")->as_array().at(0), "digest");
    for (const auto& entry : fs::directory_iterator(layout / "blobs/sha256"))
      image.blobs["sha256:" + entry.path().filename().string()] = read_file(entry.path()).value();
    image.manifest = image.blobs.at(image.digest);
    registry_.tag(version, image);
  }
  fs::path folder() const { return folder_.path(); }

  static void expect_golden(const std::string& name, const std::string& text) {
    const fs::path file = data / name;
    if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(write_file_atomically(file, text).has_value());
      return;
    }
    EXPECT_EQ(text, read_file(file).value_or("there is no " + name));
  }

 private:
  std::string masked(std::string text) const {
    const auto replace = [&](const std::string& what, const std::string& by) {
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    };
    replace(registry_.address(), "registry.example.com");
    constexpr std::size_t hex_digits = 64;
    for (std::size_t at = text.find("sha256:"); at != std::string::npos; at = text.find("sha256:", at + 1))
      text.replace(at + 7, hex_digits, "...");
    return text;
  }

  testing::TempDirectory folder_;
  testing::FakeRegistry registry_;
};

TEST_F(ReleaseImages, SaysWhatAnUpdateChanges) {
  add_folder("4.6.23", "from");
  add_folder("4.7.4", "to", {"4.6.23"});
  const Outcome text = diff("4.6.23", "4.7.4");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.errors, "");
  expect_golden("table.txt", text.output);
  expect_golden("markdown.txt", diff("4.6.23", "4.7.4", "-o markdown").output);
  const Outcome json = diff("4.6.23", "4.7.4", "-o json");
  EXPECT_TRUE(json::parse(json.output).has_value());
  expect_golden("json.txt", json.output);
  expect_golden("other-profile.txt", diff("4.6.23", "4.7.4", "--profile ibm-cloud-managed").output);
  expect_golden("back.txt", diff("4.7.4", "4.6.23").output);
  expect_golden("same.txt", diff("4.7.4", "4.7.4").output);
}

TEST_F(ReleaseImages, ShowsTheFirstOfManyAndCountsTheOthers) {
  std::string before, after;
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(1000 + i);
    std::string old, now;
    for (int field = 0; field < 60; ++field) {
      old += "k" + std::to_string(field) + ": a, ";
      now += "k" + std::to_string(field) + ": " + std::string(100, 'b') + ", ";
    }
    const std::string head = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: gears, name: a";
    before += head + name + "}\ndata: {" + old + "}\n";
    after += head + name + "}\ndata: {" + now + "}\n" + head + "-new-" + name + "}\n";
  }
  add("4.6.23", {{"release-manifests/0000_10_a.yaml", before}});
  add("4.7.4", {{"release-manifests/0000_10_a.yaml", after}});
  const std::string text = diff("4.6.23", "4.7.4").output;
  EXPECT_LT(text.size(), 60'000U);
  EXPECT_NE(text.find("500 added, 500 changed, 0 removed, 0 left behind"), std::string::npos) << text;
  EXPECT_NE(text.find("    and 55 more\n"), std::string::npos);
  EXPECT_NE(text.find("  and 480 more\n"), std::string::npos);
  const std::string markdown = diff("4.6.23", "4.7.4", "-o markdown").output;
  EXPECT_LT(markdown.size(), 65'536U);
  EXPECT_NE(markdown.find("There is more"), std::string::npos);
  const auto all = json::parse(diff("4.6.23", "4.7.4", "-o json").output);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(json::find(*all, "added")->as_array().size(), 500U);
  EXPECT_EQ(json::find(*all, "changed")->as_array().size(), 500U);
}

TEST_F(ReleaseImages, LeaveRoomInACommentForTheGroupsAfterALongOne) {
  std::string before, after;
  for (int i = 0; i < 20; ++i) {
    const std::string head =
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: a" +
        std::to_string(i) + "}\nspec: {versions: [{name: v1, served: true, storage: true}";
    after += head + "]}\n";
    before += head;
    for (char c = 'a'; c < 'k'; ++c)
      before += ", {name: \"" + std::string(400, '|') + c + "\", served: true, storage: false}";
    before += "]}\n";
  }
  after +=
      "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {namespace: a, name: b}\n"
      "rules: [{verbs: [get], apiGroups: [''], resources: [secrets]}]\n";
  add("4.6.23", {{"release-manifests/0000_10_a.yaml", before}});
  add("4.7.4", {{"release-manifests/0000_10_a.yaml", after}});
  const std::string markdown = diff("4.6.23", "4.7.4", "-o markdown").output;
  EXPECT_LT(markdown.size(), 65'536U);
  EXPECT_NE(markdown.find("#### Definitions\n\n- `a0`\n"), std::string::npos) << markdown.substr(0, 1000);
  EXPECT_NE(markdown.find("- and more, which is too long to be shown\n"), std::string::npos);
  EXPECT_NE(markdown.find("#### Rights that grow\n\n- `role \"a/b\"`\n  - `get on secrets`\n"),
            std::string::npos);
  EXPECT_NE(markdown.find("#### Added\n\n- `role \"a/b\"`\n"), std::string::npos);
  EXPECT_NE(markdown.find("There is more"), std::string::npos);
}

TEST_F(ReleaseImages, SayThatADefinitionStoresNoVersion) {
  const std::string head =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: ";
  add("4.6.23", {{"release-manifests/0000_10_a.yaml", head + "{versions: [{name: v1, served: true}]}\n"}});
  add("4.7.4", {{"release-manifests/0000_10_a.yaml",
                 head + "{versions: [{name: v1, served: true, storage: true}]}\n"}});
  const std::string text = diff("4.6.23", "4.7.4").output;
  EXPECT_NE(text.find("    stores v1 in place of no version\n"), std::string::npos) << text;
}

TEST_F(ReleaseImages, SayThatALineOfRightsIsShort) {
  add("4.6.23",
      {{"release-manifests/0000_10_a.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"}});
  add("4.7.4",
      {{"release-manifests/0000_10_a.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {namespace: a, name: b}\n"
        "rules: [{verbs: [a, b, c, d, e, f, g, h, i, escalate], apiGroups: [x], resources: [roles]}]\n"}});
  const std::string text = diff("4.6.23", "4.7.4").output;
  EXPECT_NE(text.find("    escalate, a, b, c, d, e, f, g and 2 more on roles.x\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("`fairway release diff -o json` shows all.\n"), std::string::npos) << text;
  EXPECT_NE(diff("4.6.23", "4.7.4", "-o markdown").output.find("There is more"), std::string::npos);
}

TEST_F(ReleaseImages, AreNotMadeWithoutAFileOfTheFolder) {
  fs::create_directory(folder() / "manifests");
  const std::string made = "'" FAIRWAY_BINARY "' release new 4.7.4 '" + (folder() / "manifests").string() +
                           "' --dir '" + (folder() / "image").string() + "' >/dev/null 2>'" +
                           (folder() / "errors").string() + "'";
  const std::string manifest = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
  ASSERT_TRUE(write_file_atomically(folder() / "manifests/0000_10_a_1.yaml", manifest).has_value());
  fs::create_symlink("absent", folder() / "manifests/0000_10_z_1.yaml");
  EXPECT_NE(std::system(made.c_str()), 0);
  EXPECT_NE(
      read_file(folder() / "errors").value().find("0000_10_z_1.yaml is a link to a file that is not there"),
      std::string::npos);
  fs::remove(folder() / "manifests/0000_10_z_1.yaml");
  fs::rename(folder() / "manifests/0000_10_a_1.yaml", folder() / "manifests/.wh.0000_10_a_1.yaml");
  EXPECT_NE(std::system(made.c_str()), 0);
  EXPECT_NE(read_file(folder() / "errors").value().find(".wh.0000_10_a_1.yaml would be lost"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder() / "image"));
}

TEST_F(ReleaseImages, MadeOfAFolderSayWhatClustersLeaveOut) {
  fs::create_directory(folder() / "manifests");
  std::string manifests;
  for (const char* annotation : {"include.release.openshift.io/ibm-cloud-managed: 'true'",
                                 "release.openshift.io/feature-set: TechPreviewNoUpgrad", "a: b"}) {
    manifests += "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a" +
                 std::to_string(manifests.size()) + ", annotations: {" + annotation + "}}\n";
  }
  ASSERT_TRUE(write_file_atomically(folder() / "manifests/0000_10_a_1.yaml", manifests).has_value());
  const std::string made = "'" FAIRWAY_BINARY "' release new 4.7.4 '" + (folder() / "manifests").string() +
                           "' --dir '" + (folder() / "image").string() + "' >'" +
                           (folder() / "output").string() + "' 2>'" + (folder() / "errors").string() + "'";
  ASSERT_EQ(std::system(made.c_str()), 0);
  const std::string output = read_file(folder() / "output").value();
  EXPECT_NE(output.find("Left out:      2 manifests by clusters of the default profile and feature set\n"),
            std::string::npos)
      << output;
  const std::string errors = read_file(folder() / "errors").value();
  EXPECT_NE(errors.find("is applied nowhere: unrecognized value \"TechPreviewNoUpgrad\""), std::string::npos)
      << errors;
  EXPECT_EQ(errors.find("ibm-cloud"), std::string::npos) << errors;
}

TEST_F(ReleaseImages, MadeOfAFolderAreReadAsOthers) {
  const std::string line = "'" FAIRWAY_BINARY "' release new 4.7.4 '" + (data / "to").string() +
                           "' --previous 4.6.23 --metadata url=https://example.com/4.7.4 --dir '" +
                           (folder() / "image").string() + "' >/dev/null";
  ASSERT_EQ(std::system(line.c_str()), 0);
  push_layout("4.7.4", folder() / "image");
  add_folder("4.6.23", "from");
  expect_golden("info.txt", run("info", {"4.7.4"}).output);
  // What it changes is what an image of the same files that was made otherwise changes.
  expect_golden("table.txt", diff("4.6.23", "4.7.4").output);
}

TEST_F(ReleaseImages, LeaveOutWhatIsForAnotherMajorVersion) {
  const std::string gates = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: ";
  const std::string only = ", annotations: {release.openshift.io/major-version: ";
  add("4.7.4", {{"release-manifests/0000_10_a_01.yaml",
                 gates + "four" + only + "\"4\"}}\n---\n" + gates + "five" + only + "\"5\"}}\n"}});
  EXPECT_EQ(run("manifests", {"4.7.4"}).output,
            "LEVEL  COMPONENT  ACTION  OBJECT              WAITS UNTIL\n"
            "10     a          apply   featuregate \"four\"\n"
            "left out: featuregate \"five\": it is for the major versions 5\n");
}

TEST_F(ReleaseImages, NamesTheImageThatCannotBeRead) {
  add_folder("4.6.23", "from");
  add("4.7.4", {{"release-manifests/0000_10_a.yaml", "kind: [A"}});
  const Outcome absent = diff("4.6.23", "4.7.5");
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_EQ(absent.output, "");
  EXPECT_NE(absent.errors.find("registry.example.com/gears/release:4.7.5"), std::string::npos)
      << absent.errors;
  const Outcome broken = diff("4.6.23", "4.7.4");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_NE(broken.errors.find("0000_10_a.yaml"), std::string::npos) << broken.errors;
}

}  // namespace
}  // namespace fairway
