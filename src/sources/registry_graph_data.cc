// SPDX-License-Identifier: Apache-2.0

#include "sources/registry_graph_data.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "oci/image.h"
#include "sources/internal/fetch/signature_options.h"
#include "sources/internal/read/graph_data_archive.h"

namespace fairway::sources {

namespace {

/// Returns whether a layer is meant to be a tar. Artifacts may hold other things beside, such as a README.
bool is_archive(const oci::Descriptor& layer) {
  const auto type = to_lower(layer.media_type);
  return type.empty() || type.find("tar") != std::string::npos || type.find("gzip") != std::string::npos ||
         type == "application/octet-stream";
}

class RegistryGraphDataSource final : public GraphDataSource {
 public:
  RegistryGraphDataSource(oci::Reference reference, Options options, std::unique_ptr<oci::Registry> registry,
                          std::unique_ptr<oci::SignatureStore> signatures)
      : reference_(std::move(reference)),
        options_(std::move(options)),
        registry_(std::move(registry)),
        signatures_(std::move(signatures)) {}

  std::string name() const override { return "oci://" + reference_.to_string(); }
  bool watch(std::function<void()> /*changed*/, std::stop_token /*stop*/) override { return false; }

  Result<FetchedGraphData> fetch(const FetchContext& context) override {
    auto fetched = fetch(Limits::within(*options_.clock, options_.deadline, context.stop));
    if (!fetched) return fail(fetched.error().within("reading the graph data of " + name()));
    return fetched;
  }

 private:
  Result<FetchedGraphData> fetch(const Limits& limits) {
    const auto digest = registry_->resolve(reference_, limits);
    if (!digest) return fail(digest.error());
    if (auto trusted = check_signature(*digest, limits); !trusted) return fail(trusted.error());
    if (*digest != last_.revision) {
      auto files = read(*digest, limits);
      if (!files) return fail(files.error());
      last_ = {.files = *std::move(files), .revision = *digest};
    }
    return last_;
  }

  Result<void> check_signature(const std::string& digest, const Limits& limits) {
    if (!signatures_) return {};
    const auto keys = oci::KeyRing::load(options_.access.public_keys_directory, *options_.clock);
    if (!keys) return fail(keys.error());
    const auto checked = digest + " " + (*keys)->fingerprint();
    if (checked == verified_) return {};
    const auto reference = signatures_->verify(**keys, digest, limits);
    if (!reference) return fail(reference.error());
    verified_ = checked;
    return {};
  }

  Result<graphdata::Files> read(const std::string& digest, const Limits& limits) {
    const auto image = oci::read_image(*registry_, reference_.with_digest(digest), limits);
    if (!image) return fail(image.error());
    GraphDataArchive archive;
    bool any = false;
    for (const auto& layer : image->manifest.layers) {
      if (!is_archive(layer)) continue;
      if (any) {
        if (auto next = archive.next_layer(); !next) return fail(next.error());
      }
      any = true;
      const auto push = [&archive](std::string_view piece) { return archive.push(piece); };
      if (auto done = registry_->stream_blob(image->reference, layer, push, limits); !done)
        return fail(done.error().within("reading the layer " + layer.digest));
    }
    if (!any) return fail(ErrorCode::invalid, "the image has no layer that is a tar");
    return archive.finish();
  }

  oci::Reference reference_;
  Options options_;
  std::unique_ptr<oci::Registry> registry_;
  std::unique_ptr<oci::SignatureStore> signatures_;  ///< null: signatures are not required
  FetchedGraphData last_;
  std::string verified_;  ///< digest and keys of the last good signature
};

}  // namespace

Result<std::unique_ptr<GraphDataSource>> make_registry_graph_data_source(const oci::Reference& reference,
                                                                         const Options& options) {
  auto image = reference;
  if (image.tag.empty() && image.digest.empty()) image.tag = "latest";
  const std::string name = "oci://" + image.to_string();
  oci::RegistryOptions client = release::registry_options(options.access);
  client.concurrency = options.concurrency;
  client.clock = options.clock;
  auto registry = oci::Registry::create(client);
  if (!registry) return fail(registry.error().within(name));
  auto signatures =
      open_signature_store(options, {.ca_files = options.access.ca_files, .clock = options.clock});
  if (!signatures) return fail(signatures.error().within(name));
  return std::make_unique<RegistryGraphDataSource>(std::move(image), options, *std::move(registry),
                                                   *std::move(signatures));
}

}  // namespace fairway::sources
