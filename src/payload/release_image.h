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

/// The message of ReleaseAccepted where a step failed: `Retrieving payload failed version="4.7.4" image="I"
/// failure=...`. Not for `payload_loaded`.
std::string failure_message(LoadStep step, std::string_view version, std::string_view image,
                            std::string_view failure);
/// `Retrieving and verifying payload version="4.7.4" image="I"`.
std::string retrieving_message(std::string_view version, std::string_view image);
/// `Payload loaded version="4.7.4" image="I" architecture="amd64"`.
std::string loaded_message(std::string_view version, std::string_view image, std::string_view arch);

/// A release that was read.
struct ReleaseImage {
  std::string image;   ///< the pull spec as it was asked for, by digest
  std::string digest;  ///< "sha256:<hex>"
  Version version;
  std::string arch;  ///< "amd64"; "multi" of an index of several
  /// Of the release's metadata: "url", "io.openshift.upgrades.graph.release.channels" and others.
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> image_references;  ///< component to pull spec
  std::vector<Manifest> manifests;                      ///< all of them, in order
  /// True if a trusted signature was found. False if none is required.
  bool verified = false;
  /// What was accepted without one, by force or as WithoutKeys::accept: the text for
  /// `history[].acceptedRisks`. Empty: nothing.
  std::string accepted_risks;
  /// It was accepted without a signature because there are no keys (WithoutKeys::accept), and not by force.
  bool allowed_unsigned = false;
};

/// Why a release could not be loaded, and at which step. The error's code tells whether a retry may help.
struct LoadFailure {
  LoadStep step = LoadStep::retrieve_payload;
  Error error;
};

/// What becomes of a release where there are no keys at all.
enum class WithoutKeys {
  refuse,  ///< it cannot be verified, and is read by force only
  accept,  ///< it is read, and `accepted_risks` says so (--allow-unsigned-releases)
  ignore,  ///< it is read: nobody asks for signatures, and nothing is applied
};

struct ReleaseReaderOptions {
  oci::RegistryOptions registry;
  std::vector<ImageMirror> mirrors;
  std::string public_keys_directory;  ///< --public-keys; empty: none
  std::string signature_store;        ///< --signature-store; empty: only those of a request's keys
  WithoutKeys without_keys = WithoutKeys::refuse;
  /// How keys are given, for the message where there are none.
  std::string how_to_give_keys = "give them by --public-keys and --signature-store";
  std::filesystem::path cache;  ///< a folder; empty: nothing is kept
  /// For one release, signature and all layers.
  std::chrono::nanoseconds timeout = std::chrono::minutes(20);
};

/// Reads release images. Not for several threads at once.
class ReleaseReader {
 public:
  struct Request {
    std::string image;    ///< a pull spec
    std::string version;  ///< what it must be; empty: whatever it is
    /// Goes on where the image cannot be verified, and says so in `accepted_risks`.
    bool force = false;
    /// It was accepted before, and runs here: no signature is asked for.
    bool accepted_before = false;
    /// Keys that count beside those of the options. An error: which keys count is not known, so nothing can
    /// be verified.
    Result<TrustedKeys> keys = TrustedKeys{};
  };

  /// Errors: those of the registry's options, an unusable signature store, a folder of keys without a store.
  static Result<std::unique_ptr<ReleaseReader>> create(const ReleaseReaderOptions& options);
  ~ReleaseReader();

  /// Pulls the image from the first of its places that has it, or takes it from the cache. Every layer is
  /// checked against its digest; nothing is written where a layer says. Failures:
  /// - retrieve_payload: no image by digest (unless forced), no signature that counts (unless forced), an
  ///   image that cannot be pulled or whose layers are broken;
  /// - verify_payload_version: the release has another version;
  /// - load_payload: no release, broken manifests, images of another release.
  std::expected<ReleaseImage, LoadFailure> read(const Request& request, const Limits& limits);

  /// The keys that would count for a release now.
  struct KeyState {
    std::size_t count = 0;    ///< files and entries, each of which may hold several
    std::string fingerprint;  ///< changes when one of them changes, comes, goes or expires; "" without any
  };
  /// The state of the keys of the options and of `more`. Errors: that of `more`, one that is no key, none
  /// that is valid, keys without a signature store.
  Result<KeyState> key_state(const Result<TrustedKeys>& more) const;

 private:
  struct Implementation;
  explicit ReleaseReader(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::payload
