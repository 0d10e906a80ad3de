// SPDX-License-Identifier: Apache-2.0

// Rules of ClusterTrustBundles: pkg/apis/certificates/validation of k8s.io/kubernetes.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/scope.h"
#include "apiserver/internal/validation/signer_name.h"
#include "base/base64.h"
#include "http/certificate.h"
#include "k8s/names.h"
#include "k8s/view.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view begin = "-----BEGIN ", end = "-----END ", dashes = "-----";
constexpr std::size_t largest_bundle = std::size_t{1} << 20;

/// A block of a PEM text.
struct Block {
  std::string_view type;
  std::string bytes;
  bool has_headers = false;
};

/// Returns the blocks that can be decoded. As in Go, what is around them is skipped, and so is a block that
/// is broken.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin)) {
    text.remove_prefix(at + begin.size());
    const std::size_t type_end = text.find(dashes);
    if (type_end == std::string_view::npos) break;
    const std::string_view type = text.substr(0, type_end);
    const std::string_view body = text.substr(type_end + dashes.size());
    const std::size_t body_end = body.find(std::string(end) + std::string(type) + std::string(dashes));
    if (body_end == std::string_view::npos) continue;
    Block block{.type = type};
    std::string_view content = body.substr(0, body_end);
    if (const std::size_t colon = content.find(':'); colon != std::string_view::npos) {
      block.has_headers = true;
      content.remove_prefix(std::min(content.size(), content.find("\n\n", colon)));
    }
    auto decoded = base64_decode(content);
    text = body;
    if (!decoded) continue;
    block.bytes = *std::move(decoded);
    blocks.push_back(std::move(block));
    text.remove_prefix(body_end);
  }
  return blocks;
}

/// Returns what is wrong with a block; empty: it is the certificate of an authority.
std::string fault_of(const Block& block) {
  if (block.type != "CERTIFICATE") return "has bad block type: " + std::string(block.type);
  if (block.has_headers) return "has PEM block headers";
  const std::string pem =
      "-----BEGIN CERTIFICATE-----\n" + base64_encode(block.bytes) + "\n-----END CERTIFICATE-----\n";
  const auto read = http::read_certificates(pem, "trustBundle");
  if (!read || read->size() != 1) return "does not parse as X.509";
  return read->front().is_authority ? "" : "does not have the CA bit set";
}

void check_bundle(const Scope& spec) {
  constexpr std::string_view member = "trustBundle";
  const std::string_view text = spec.text(member);
  if (text.size() > largest_bundle) {
    spec.too_long(member, largest_bundle);
    return;
  }
  const auto invalid = [&](const std::string& fault) {
    spec.invalid(member, json::Value("<value omitted>"), fault);
  };
  const std::vector<Block> blocks = blocks_of(text);
  std::map<std::string_view, std::vector<std::size_t>> anchors;
  bool has_fault = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string fault = fault_of(blocks[i]);
    if (fault.empty()) {
      anchors[blocks[i].bytes].push_back(i);
    } else {
      has_fault = true;
      invalid("entry " + std::to_string(i) + " " + fault);
    }
  }
  if (has_fault) return;
  if (anchors.empty()) invalid("at least one trust anchor must be provided");
  for (const auto& [bytes, indexes] : anchors) {
    if (indexes.size() == 1) continue;
    std::string list;
    for (const std::size_t index : indexes) list += (list.empty() ? "" : " ") + std::to_string(index);
    invalid("duplicate trust anchor (indices [" + list + "])");
  }
}

k8s::Faults check_bundle_name(std::string_view name, std::string_view signer) {
  if (signer.empty()) {
    if (name.find(':') != std::string_view::npos)
      return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    return k8s::check_dns_subdomain(name);
  }
  std::string prefix(signer);
  std::ranges::replace(prefix, '/', ':');
  prefix += ':';
  if (!name.starts_with(prefix))
    return {"ClusterTrustBundle for signerName " + std::string(signer) + " must be named with prefix " +
            prefix};
  return k8s::check_dns_subdomain(name.substr(prefix.size()));
}

void check_trust_bundle(const Scope& bundle) {
  const Scope metadata = bundle.child("metadata"), spec = bundle.child("spec");
  const std::string_view name = metadata.text("name"), signer = spec.text("signerName");
  for (const std::string& fault : check_bundle_name(name, signer))
    metadata.invalid("name", json::Value(name), fault);
  if (!signer.empty()) check_signer_name(spec, "signerName");
  // One that stays is not read again, so that stricter rules for certificates do not hold up other changes.
  const json::Object* old = bundle.facts().old_object;
  const bool stays = old != nullptr && k8s::View(*old).text("spec.trustBundle") == spec.text("trustBundle");
  if (!stays) check_bundle(spec);
}

}  // namespace

std::span<const NamedCall> certificate_calls() {
  static constexpr std::array calls{NamedCall{"trust_bundle", &check_trust_bundle}};
  return calls;
}

}  // namespace fairway::apiserver::validation
