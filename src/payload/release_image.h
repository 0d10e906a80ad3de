// SPDX-License-Identifier: Apache-2.0

// Release images: pulled by digest, verified, checked against what was asked for, and kept on disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/semver.h"
#include "oci/registry.h"
#include "payload/image_mirror.h"
#include "payload/manifest.h"
#include "payload/trusted_keys.h"

namespace fairway::payload {

/// The steps of loading a release: reasons of the condition ReleaseAccepted.
enum class LoadStep {
  retrieve_payload,
  verify_payload_version,
  load_payload,
  precondition_checks,
  payload_loaded,
};

/// "RetrievePayload", "VerifyPayloadVersion", "LoadPayload", "PreconditionChecks", "PayloadLoaded".
std::string_view to_string(LoadStep step);

/// Returns the message of ReleaseAccepted for a failed step: `Retrieving payload failed version="4.7.4"
/// image="I" failure=...`. Not for `payload_loaded`.
std::string failure_message(LoadStep step, std::string_view version, std::string_view image,
                            std::string_view failure);
/// Returns `Retrieving and verifying payload version="4.7.4" image="I"`.
std::string retrieving_message(std::string_view version, std::string_view image);
/// Returns `Payload loaded version="4.7.4" image="I" architecture="amd64"`; "multi" becomes `Multi`, as
/// ClusterVersion has it.
std::string loaded_message(std::string_view version, std::string_view image, std::string_view arch);

/// A release image that has been read.
struct ReleaseImage {
  std::string image;   ///< the pull spec of the request, by digest
  std::string digest;  ///< "sha256:<hex>"
  Version version;
  std::string arch;  ///< "amd64"; "multi" for an index of several, or where the metadata say so
  /// Metadata of the release: "url", "io.openshift.upgrades.graph.release.channels" and others.
  std::map<std::string, std::string> metadata;
  /// Versions, as written, that can be updated to this one, and that this one can be updated to.
  std::vector<std::string> previous = {}, next = {};
  std::map<std::string, std::string> image_references;  ///< component to pull spec
  std::vector<Manifest> manifests;                      ///< all manifests, in order
  /// True if a trusted signature was found. False if none is required.
  bool verified = false;
  /// Text for `history[].acceptedRisks`: the lack of a trusted signature that was accepted, by force or by
  /// WithoutKeys::accept. Empty: nothing was accepted.
  std::string accepted_risks;
  /// True if the release was accepted without a signature because there are no keys (WithoutKeys::accept),
  /// and not by force.
  bool allowed_unsigned = false;
};

/// The reason why a release could not be loaded, and the step that failed. The error's code tells whether a
/// retry may help.
struct LoadFailure {
  LoadStep step = LoadStep::retrieve_payload;
  Error error;
};

/// Reads the contents of an image into a release: version, metadata, images and manifests. `release.image`
/// names it in errors. `wanted` is the version that the release must have; empty: any. Failures:
/// verify_payload_version and load_payload, as of `ReleaseReader::read`.
std::expected<void, LoadFailure> load_contents(const release::Contents& image, std::string_view wanted,
                                               ReleaseImage& release);

/// Treatment of a release when there are no keys at all.
enum class WithoutKeys {
  refuse,  ///< the release cannot be verified, and is read only by force
  accept,  ///< the release is read, and `accepted_risks` says so (--allow-unsigned-releases)
  ignore,  ///< the release is read: signatures are not required, as nothing is applied
};

struct ReleaseReaderOptions {
  oci::RegistryOptions registry;
  std::vector<ImageMirror> mirrors;
  std::string public_keys_directory;  ///< --public-keys; empty: none
  std::string signature_store;        ///< --signature-store; empty: only those of a request's keys
  WithoutKeys without_keys = WithoutKeys::refuse;
  /// Instructions for giving keys, part of the message when there are none.
  std::string how_to_give_keys = "give them by --public-keys and --signature-store";
  std::filesystem::path cache;  ///< folder of the cache; empty: nothing is kept
  /// Timeout for one release, with its signature and all layers.
  std::chrono::nanoseconds timeout = std::chrono::minutes(20);
};

/// Reads release images. Not thread-safe.
class ReleaseReader {
 public:
  struct Request {
    std::string image;    ///< a pull spec
    std::string version;  ///< the version that the release must have; empty: any
    /// True if an image that cannot be verified is read all the same; `accepted_risks` then says so.
    bool force = false;
    /// True if the release was accepted before and runs here: no signature is required.
    bool accepted_before = false;
    /// Keys that count beside those of the options. If this is an error, it is not known which keys count, so
    /// nothing can be verified.
    Result<TrustedKeys> keys = TrustedKeys{};
  };

  /// Creates a reader. Errors: those of the registry's options, an unusable signature store, a folder of keys
  /// without a store.
  static Result<std::unique_ptr<ReleaseReader>> create(const ReleaseReaderOptions& options);
  ~ReleaseReader();

  /// Pulls the image from the first place that has it, or takes it from the cache. Every layer is checked
  /// against its digest; no file is written to a path that a layer names. Failures:
  /// - retrieve_payload: no image by digest (unless forced), no signature that counts (unless forced), an
  ///   image that cannot be pulled or whose layers are broken;
  /// - verify_payload_version: the release has another version;
  /// - load_payload: not a release, broken manifests, images of another release.
  std::expected<ReleaseImage, LoadFailure> read(const Request& request, const Limits& limits);

  /// The keys that would count for a release now.
  struct KeyState {
    std::size_t count = 0;    ///< files and entries, each of which may hold several
    std::string fingerprint;  ///< changes when a key changes, is added, is removed or expires; "" without any
  };
  /// Returns the state of the keys of the options and of `more`. Errors: that of `more`, an entry that is not
  /// a key, no valid key at all, keys without a signature store.
  Result<KeyState> key_state(const Result<TrustedKeys>& more) const;

 private:
  struct Implementation;
  explicit ReleaseReader(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::payload
