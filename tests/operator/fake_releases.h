// Releases of tests, in a registry of this process.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oci/fake_registry.h"

namespace fairway::operators::testing {

/// Names of files below release-manifests/, and what is in them.
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
    images_[version] = registry_.address() + "/ocp/release@" + image.digest;
  }
  /// By digest.
  const std::string& image(const std::string& version) const { return images_.at(version); }
  /// Version to image.
  const std::map<std::string, std::string>& images() const { return images_; }
  /// Whether the registry was asked for a release since the last time that it, or the next, was called.
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
};

/// A ConfigMap of the namespace default, with the member `a`.
inline std::string map_yaml(const std::string& name, const std::string& value) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: default}\ndata: {a: \"" +
         value + "\"}\n";
}

/// The definition of Widgets in two versions, one of which is stored: "v1alpha1" or "v1".
inline std::string widgets_crd(const std::string& stored) {
  std::string text = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
)";
  for (const char* version : {"v1alpha1", "v1"}) {
    text += std::string("  - {name: ") + version +
            ", served: true, storage: " + (stored == version ? "true" : "false") +
            ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n";
  }
  return text;
}

/// A Widget of the namespace default.
inline std::string widget_yaml(const std::string& version, const std::string& name) {
  return "apiVersion: example.com/" + version + "\nkind: Widget\nmetadata: {name: " + name +
         ", namespace: default}\n";
}

}  // namespace fairway::operators::testing
