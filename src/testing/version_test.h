// SPDX-License-Identifier: Apache-2.0

// Test kit: one test at every version of a kind, up and down.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"
#include "kube/client/client.h"

namespace fairway::testing {

/// The store of the objects: a server, or a fake.
class VersionedObjects {
 public:
  virtual ~VersionedObjects() = default;
  /// Creates an object in its version and namespace.
  virtual Result<k8s::Dynamic> create(const k8s::Dynamic& object) = 0;
  virtual Result<k8s::Dynamic> get(std::string_view version, const k8s::Key& key) = 0;
  /// Replaces an object in its version.
  virtual Result<k8s::Dynamic> replace(const k8s::Dynamic& object) = 0;
  virtual Result<void> remove(std::string_view version, const k8s::Key& key) = 0;
};

struct CrdVersionTest {
  std::string name = {};
  k8s::CustomResourceDefinition definition = {};
  /// Range of versions; empty: the served versions with the lowest and the highest priority.
  std::string min_version = {}, max_version = {};
  /// The object to start with, of `min_version`.
  k8s::Dynamic seed = {};
  /// After each step a client that knows `min_version` alone reads the object in it, and writes it back as it
  /// is. What the newer version has must not change by that.
  bool with_old_client = false;
  /// The test; the object has the version in its apiVersion.
  std::function<Result<void>(const k8s::Dynamic& object, VersionedObjects& objects)> test = {};
};

/// Creates the seed at `min_version` and runs the test there; then reads the object in each version up to
/// `max_version`, writes it in that version, and runs the test; then the same back down to `min_version`.
/// With v1alpha1, v1beta1 and v1 the test runs five times. The object is removed at the end. Versions that
/// are not served are skipped. Errors name the version and the direction.
Result<void> run_crd_version_test(const CrdVersionTest& test, VersionedObjects& objects);

/// The objects on a server that serves the kind.
std::unique_ptr<VersionedObjects> server_objects(std::shared_ptr<kube::Client> client,
                                                 const k8s::CustomResourceDefinition& definition);

/// Objects in memory, stored in `storage_version` and converted as a server would; the converters must be
/// prepared and outlive this. Each version's objects are pruned by its schema.
std::unique_ptr<VersionedObjects> local_objects(const conversion::Converters& converters,
                                                const k8s::CustomResourceDefinition& definition);

}  // namespace fairway::testing
