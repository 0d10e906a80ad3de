// The manifests of a release: what stands in the files of its folder release-manifests.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/object.h"
#include "release/contents.h"

namespace fairway::payload {

/// What makes two manifests the same object, whatever their versions.
struct ObjectId {
  std::string group, kind, namespace_name, name;

  static ObjectId of(const k8s::Dynamic& object);
  /// `deployment "openshift-dns/dns"`, as messages of an update have it.
  std::string to_string() const;
  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

/// One object of a release.
struct Manifest {
  std::string file;  ///< "0000_50_dns_02-deployment.yaml"
  int document = 1;  ///< of the file; counted from 1
  int line = 1;      ///< where the document begins
  k8s::Dynamic object;

  ObjectId id() const { return ObjectId::of(object); }
  /// "0000_50_dns_02-deployment.yaml, document 2 (line 17)".
  std::string place() const;
};

/// Reads all manifests, in the order of the files' names and of the documents in each. YAML or JSON as
/// kubectl reads it, several documents a file; Lists are taken apart. Files that are no manifest files are
/// passed over.
///
/// Errors (`invalid`, `too_large`) name file and document, ten of them at most: text that is no YAML, a key
/// twice in a mapping, a document that is no object, an apiVersion, kind, name or namespace that is missing
/// or no valid one, Lists more than four deep, more than 20,000 manifests.
Result<std::vector<Manifest>> read_manifests(const release::Files& files);

/// The images that a release consists of: name to pull spec. Empty where the release has no such file.
/// Errors: `invalid` for a file that is not an ImageStream of image.openshift.io/v1, `conflict` for one of
/// another release than `version`.
Result<std::map<std::string, std::string>> read_image_references(const release::Files& files,
                                                                 std::string_view version);

}  // namespace fairway::payload
