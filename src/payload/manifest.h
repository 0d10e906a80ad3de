// SPDX-License-Identifier: Apache-2.0

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

/// The identity of an object: two manifests with the same ID are one object, whatever their versions.
struct ObjectId {
  std::string group, kind, namespace_name, name;

  static ObjectId of(const k8s::Dynamic& object);
  /// Returns `deployment "openshift-dns/dns"`, the form that the messages of an update use.
  std::string to_string() const;
  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

/// One object of a release.
struct Manifest {
  std::string file;  ///< "0000_50_dns_02-deployment.yaml"
  int document = 1;  ///< number of the document in the file, counted from 1
  int line = 1;      ///< line at which the document begins
  k8s::Dynamic object;

  ObjectId id() const { return ObjectId::of(object); }
  /// Returns "0000_50_dns_02-deployment.yaml, document 2 (line 17)".
  std::string place() const;
};

/// Reads all manifests, in the order of the files' names and of the documents in each. The files are YAML or
/// JSON as kubectl reads it, with several documents a file; Lists are split into their items. Other files are
/// skipped.
/// Errors (`invalid`, `too_large`) name file and document, ten of them at most: text that is not YAML, a key
/// twice in a mapping, a document that is not an object, an apiVersion, kind, name or namespace that is
/// missing or invalid, Lists nested more than four deep, more than 20,000 manifests.
Result<std::vector<Manifest>> read_manifests(const release::Files& files);

/// Returns the images of a release: name to pull spec. Empty if the release has no such file. Errors:
/// `invalid` for a file that is not an ImageStream of image.openshift.io/v1, `conflict` for one of another
/// release than `version`.
Result<std::map<std::string, std::string>> read_image_references(const release::Files& files,
                                                                 std::string_view version);

}  // namespace fairway::payload
