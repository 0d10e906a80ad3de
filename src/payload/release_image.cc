// SPDX-License-Identifier: Apache-2.0

#include "payload/release_image.h"

#include <optional>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "oci/signature.h"
#include "oci/signature_store.h"
#include "release/cache.h"
#include "release/metadata.h"
#include "release/pull.h"

namespace fairway::payload {

namespace {

/// The key of a release's metadata that says that its image is of several architectures: "multi".
constexpr std::string_view architecture_key = "release.openshift.io/architecture";

std::unexpected<LoadFailure> failed(LoadStep step, Error error) {
  return std::unexpected(LoadFailure{.step = step, .error = std::move(error)});
}

std::unexpected<LoadFailure> cannot_verify(const Error& why) {
  return failed(LoadStep::retrieve_payload, {why.code, "The update cannot be verified: " + why.message});
}

std::unexpected<LoadFailure> cannot_download(const Error& why) {
  return failed(LoadStep::retrieve_payload,
                {why.code, "Unable to download and prepare the update: " + why.message});
}

}  // namespace

struct ReleaseReader::Implementation {
  ReleaseReaderOptions options;
  std::unique_ptr<oci::Registry> registry;
  std::unique_ptr<oci::SignatureStore> signatures;  ///< store of the options; null: there is none
  std::unique_ptr<release::Cache> cache;            ///< null: nothing is kept

  Clock& clock() const { return *options.registry.clock; }

  /// Returns the keys of the options and of a request. Errors: that of `more`, an unusable folder of keys, no
  /// keys where there may be some that cannot be read.
  Result<TrustedKeys> all_keys(const Result<TrustedKeys>& more) const {
    if (!more) return fail(more.error());
    TrustedKeys all;
    if (!options.public_keys_directory.empty()) {
      auto keys = oci::read_public_keys(options.public_keys_directory);
      if (!keys) return fail(keys.error());
      if (keys->empty()) {
        return fail(ErrorCode::invalid, "reading the public keys in " + options.public_keys_directory +
                                            ": there are none; put the OpenPGP public keys that sign your "
                                            "releases there");
      }
      all.keys = *std::move(keys);
    }
    all.add(*more);
    if (all.keys.empty() && all.incomplete) return fail(*all.incomplete);
    return all;
  }

  /// Returns the key ring. Errors: an entry that is not a key, and keys without a store of signatures.
  Result<std::unique_ptr<oci::KeyRing>> ring_of(const TrustedKeys& keys) const {
    auto ring = oci::KeyRing::make(keys.keys, clock());
    if (ring && !signatures && keys.stores.empty()) {
      return fail(ErrorCode::invalid,
                  "there are public keys, and no signature store that has what they could verify: give it by "
                  "--signature-store URL, or as store-NAME beside the keys of a ConfigMap");
    }
    return ring;
  }

  Result<std::unique_ptr<oci::SignatureStore>> open_store(const std::string& url) const {
    return oci::SignatureStore::create(url, {.ca_files = options.registry.ca_files,
                                             .retries = options.registry.retries,
                                             .concurrency = options.registry.concurrency,
                                             .backoff = options.registry.backoff,
                                             .clock = options.registry.clock});
  }

  /// Returns success if any of the stores has a signature that counts. The error says for each store why not.
  Result<void> verify(const std::string& digest, const TrustedKeys& keys, const Limits& limits) const {
    const auto ring = ring_of(keys);
    if (!ring) return fail(ring.error());
    if (cache && cache->verified(digest, (*ring)->fingerprint())) return {};
    std::optional<Error> failure;
    const auto asked = [&](const Result<std::string>& reference) {
      if (reference) return true;
      const Error& here = reference.error();
      failure = failure ? Error{here.code, failure->message + "; " + here.message} : here;
      return false;
    };
    bool found = signatures && asked(signatures->verify(**ring, digest, limits));
    for (std::size_t i = 0; !found && i < keys.stores.size(); ++i) {
      const auto store = open_store(keys.stores[i]);
      found = asked(store ? (*store)->verify(**ring, digest, limits) : fail(store.error()));
    }
    if (!found && keys.incomplete)
      return fail(failure->code, failure->message + "; " + keys.incomplete->message);
    if (!found) return fail(*failure);
    keep_verified(digest, (*ring)->fingerprint());
    return {};
  }

  /// Records that a release is verified. A failure is only logged: the signature is then asked for again.
  void keep_verified(const std::string& digest, const std::string& fingerprint) const {
    if (!cache) return;
    if (auto kept = cache->put_verified(digest, fingerprint); !kept) {
      log::warning(
          "that a release is verified cannot be kept; after a restart its signature is asked for again",
          {{"error", kept.error().message}});
    }
  }

  /// Asks one place after the other until one answers; the error names each.
  template <class Ask>
  auto ask_each(const oci::Reference& image, const Ask& ask) const -> decltype(ask(image)) {
    std::optional<Error> failure;
    for (const oci::Reference& place : pull_candidates(image, options.mirrors)) {
      auto answer = ask(place);
      if (answer) return answer;
      const Error here = answer.error().within(place.to_string());
      failure = failure ? Error{here.code, failure->message + "; " + here.message} : here;
      if (here.code == ErrorCode::cancelled || here.code == ErrorCode::deadline_exceeded) break;
    }
    return fail(*failure);
  }

  /// Gives the reference a digest, and records in `release` if a tag was accepted by force.
  std::expected<void, LoadFailure> pin(oci::Reference& image, const Request& request, ReleaseImage& release,
                                       const Limits& limits) const {
    if (!image.digest.empty()) return {};
    const Error by_tag{ErrorCode::invalid,
                       "release images that are not accessed via digest cannot be verified"};
    if (!request.force && !request.accepted_before) return cannot_verify(by_tag);
    release.accepted_risks = forced(request, by_tag);
    if (image.tag.empty()) image.tag = "latest";
    auto digest =
        ask_each(image, [&](const oci::Reference& place) { return registry->resolve(place, limits); });
    if (!digest) return cannot_download(digest.error());
    image = image.with_digest(*std::move(digest));
    return {};
  }

  static std::string forced(const Request& request, const Error& why) {
    return "Target release version=\"" + request.version + "\" image=\"" + request.image +
           "\" cannot be verified, but continuing anyway because the update was forced: " + why.message;
  }

  static std::string allowed(const Request& request) {
    return "Target release version=\"" + request.version + "\" image=\"" + request.image +
           "\" is not verified, but continuing anyway because there are no public keys, and the "
           "operator runs with --allow-unsigned-releases";
  }

  std::expected<void, LoadFailure> check_signature(const Request& request, ReleaseImage& release,
                                                   const Limits& limits) const {
    if (request.accepted_before || !release.accepted_risks.empty()) return {};
    const auto keys = all_keys(request.keys);
    const bool has_none = keys && keys->keys.empty();
    if (has_none && options.without_keys == WithoutKeys::ignore) return {};
    if (has_none && options.without_keys == WithoutKeys::accept) {
      release.accepted_risks = allowed(request);
      release.allowed_unsigned = true;
      return {};
    }
    Result<void> verified;
    if (has_none) {
      verified = fail(ErrorCode::invalid, "there are no public keys: " + options.how_to_give_keys);
    } else {
      verified = keys ? verify(release.digest, *keys, limits) : fail(keys.error());
    }
    release.verified = verified.has_value();
    if (verified) return {};
    const Error why{verified.error().code,
                    "unable to verify " + release.digest + " against keyrings: " + verified.error().message};
    if (!request.force) return cannot_verify(why);
    release.accepted_risks = forced(request, why);
    return {};
  }
};

std::expected<void, LoadFailure> load_contents(const release::Contents& image, std::string_view wanted,
                                               ReleaseImage& release) {
  const auto metadata = release::read_metadata(image, release.image);
  if (!metadata) return failed(LoadStep::load_payload, metadata.error());
  release.version = metadata->release.version;
  release.arch = image.arch;
  release.metadata = metadata->release.metadata;
  release.previous = metadata->release.previous;
  release.next = metadata->release.next;
  const auto told = release.metadata.find(std::string(architecture_key));
  if (told != release.metadata.end() && told->second == "multi") release.arch = "multi";
  const std::string version = release.version.to_string();
  if (!wanted.empty() && wanted != version) {
    return failed(
        LoadStep::verify_payload_version,
        {ErrorCode::conflict, "release image version " + version +
                                  " does not match the expected upstream version " + printable(wanted)});
  }
  auto references = read_image_references(image.files, version);
  if (!references) return failed(LoadStep::load_payload, references.error());
  release.image_references = *std::move(references);
  auto manifests = read_manifests(image.files);
  if (!manifests) return failed(LoadStep::load_payload, manifests.error());
  release.manifests = *std::move(manifests);
  return {};
}

ReleaseReader::ReleaseReader(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ReleaseReader::~ReleaseReader() = default;

Result<std::unique_ptr<ReleaseReader>> ReleaseReader::create(const ReleaseReaderOptions& options) {
  auto made = std::make_unique<Implementation>();
  made->options = options;
  if (!options.cache.empty()) {
    auto cache = release::Cache::open({.index = {}, .images = options.cache});
    if (!cache) return fail(cache.error());
    made->cache = *std::move(cache);
  }
  auto registry = oci::Registry::create(options.registry);
  if (!registry) return fail(registry.error());
  made->registry = *std::move(registry);
  if (!options.public_keys_directory.empty()) {
    if (options.signature_store.empty()) {
      return fail(ErrorCode::invalid,
                  "--public-keys without --signature-store: there is nothing that they could verify");
    }
  }
  if (!options.signature_store.empty()) {
    auto store = made->open_store(options.signature_store);
    if (!store) return fail(store.error());
    made->signatures = *std::move(store);
  }
  return std::unique_ptr<ReleaseReader>(new ReleaseReader(std::move(made)));
}

Result<ReleaseReader::KeyState> ReleaseReader::key_state(const Result<TrustedKeys>& more) const {
  const auto keys = implementation_->all_keys(more);
  if (!keys) return fail(keys.error());
  if (keys->keys.empty()) return KeyState{};
  const auto ring = implementation_->ring_of(*keys);
  if (!ring) return fail(ring.error());
  return KeyState{.count = keys->keys.size(), .fingerprint = (*ring)->fingerprint()};
}

std::expected<ReleaseImage, LoadFailure> ReleaseReader::read(const Request& request, const Limits& outer) {
  const Implementation& self = *implementation_;
  const Limits limits = outer.at_most(self.clock(), self.options.timeout);
  auto image = oci::Reference::parse(request.image);
  if (!image) return failed(LoadStep::retrieve_payload, image.error());
  ReleaseImage release;
  if (auto pinned = self.pin(*image, request, release, limits); !pinned)
    return std::unexpected(pinned.error());
  release.digest = image->digest;
  release.image = image->to_string();
  if (auto checked = self.check_signature(request, release, limits); !checked)
    return std::unexpected(checked.error());

  auto files = self.cache ? self.cache->contents(release.digest) : std::nullopt;
  const bool cached = files.has_value();
  if (!cached) {
    auto pulled = self.ask_each(*image, [&](const oci::Reference& place) {
      return release::pull(*self.registry, place, release::Part::all, limits);
    });
    if (!pulled) return cannot_download(pulled.error());
    files = *std::move(pulled);
  }
  if (auto loaded = load_contents(*files, request.version, release); !loaded)
    return std::unexpected(loaded.error());
  // Only valid releases are cached.
  if (!cached && self.cache) self.cache->put_contents(release.digest, *files);
  return release;
}

}  // namespace fairway::payload
