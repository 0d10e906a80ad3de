// SPDX-License-Identifier: Apache-2.0

// Keys that the signatures of releases count by, as ConfigMaps have them: in the cluster, and in releases.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/view.h"
#include "oci/signature.h"
#include "payload/manifest.h"
#include "payload/selection.h"

namespace fairway::payload {

/// Annotation of a ConfigMap in a release that contains keys for the next releases (whatever its value).
inline constexpr std::string_view verification_annotation = "release.openshift.io/verification-config-map";

/// Keys of which any one may have signed a release, and the stores of signatures.
struct TrustedKeys {
  std::vector<oci::PublicKey> keys;
  std::vector<std::string> stores;  ///< URLs
  /// Reason why there may be more keys that cannot be read. The keys here count; an empty list does not mean
  /// that there are none.
  std::optional<Error> incomplete = {};

  void add(TrustedKeys more);
};

/// Reads a ConfigMap: OpenPGP public keys in `verifier-public-key-*` (of `data`, or binary ones of
/// `binaryData`), and the URLs of signature stores (https or http) in `store-*`. Other entries are skipped.
/// `place` names the ConfigMap in errors and in the names of its keys, which are not parsed here. Errors
/// (`invalid`) name it and the entry: no key at all, an entry that is not text, a store that is not such a
/// URL.
Result<TrustedKeys> read_trusted_keys(const k8s::View& config_map, const std::string& place);

/// Returns the keys that a release has for the next ones: those of its ConfigMaps with
/// `verification_annotation`, as far as they are for this cluster and not to be removed. Errors: those of
/// `read_trusted_keys` and of `select`.
Result<TrustedKeys> keys_of_release(const std::vector<Manifest>& manifests, const Selection& selection,
                                    const std::string& version);

}  // namespace fairway::payload
