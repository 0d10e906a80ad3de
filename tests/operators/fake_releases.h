// SPDX-License-Identifier: Apache-2.0

// Releases of tests, in a registry of this process.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oci/fake_registry.h"
#include "payload/manifests.h"

namespace fairway::operators::testing {

/// Names and contents of files below release-manifests/.
using Files = std::vector<std::pair<std::string, std::string>>;

class FakeReleases {
 public:
  void add(const std::string& version, const Files& files) {
    std::vector<fairway::testing::TarEntry> entries{
        {"release-manifests/release-metadata", fairway::testing::release_metadata(version)}};
    for (const auto& [name, content] : files) entries.push_back({"release-manifests/" + name, content});
    const fairway::testing::TestImage image =
        fairway::testing::make_image({.layers = {fairway::testing::make_tar(entries, "gzip")}});
    registry_.add(image);
    made_[version] = image;
    images_[version] = registry_.address() + "/ocp/release@" + image.digest;
  }
  /// Gives a release its version as a tag.
  void tag(const std::string& version) { registry_.tag(version, made_.at(version)); }
  /// Returns the image of a version, by digest.
  const std::string& image(const std::string& version) const { return images_.at(version); }
  /// Returns the images by version.
  const std::map<std::string, std::string>& images() const { return images_; }
  /// Returns whether the registry was asked for a release since the previous call.
  bool pulled(const std::string& version) {
    const std::string& one = image(version);
    return fairway::testing::FakeRegistry::count(registry_.take_requests(), one.substr(one.find("sha256:"))) >
           0;
  }
  void forget_requests() { registry_.take_requests(); }
  fairway::testing::FakeRegistry& registry() { return registry_; }

 private:
  fairway::testing::FakeRegistry registry_;
  std::map<std::string, std::string> images_;
  std::map<std::string, fairway::testing::TestImage> made_;
};

using fairway::testing::map_yaml;
using fairway::testing::widgets_crd;

/// Returns a Widget of the namespace default.
inline std::string widget_yaml(const std::string& version, const std::string& name) {
  return "apiVersion: example.com/" + version + "\nkind: Widget\nmetadata: {name: " + name +
         ", namespace: default}\n";
}

}  // namespace fairway::operators::testing
