// SPDX-License-Identifier: Apache-2.0

// Rules of ClusterTrustBundles: pkg/apis/certificates/validation of k8s.io/kubernetes.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
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

constexpr std::size_t largest_bundle = std::size_t{1} << 20;

/// A block of a PEM text.
struct Block {
  std::string_view type = {};
  std::string bytes = {};
  bool has_headers = false;
};

/// A line without the whitespace at its end, and the number of characters up to the next one.
struct Line {
  std::string_view text;
  std::size_t consumed;
};

Line first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return {line, end == std::string_view::npos ? text.size() : end + 1};
}

/// Reads the blocks of a PEM text as Go's encoding/pem does: from each line that ends a block back to the
/// last one before it that begins one, so that the text is gone through once, whatever it says. What is
/// broken is skipped.
class PemReader {
 public:
  explicit PemReader(std::string_view text) : text_(text) {}

  /// Returns the next block; std::nullopt: there are no more.
  std::optional<Block> next() {
    while (true) {
      const std::size_t end = text_.find(end_line);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view after = text_.substr(end + end_line.size());
      auto block = read(text_.substr(0, end + 1), after);
      text_ = after;
      if (!block) continue;
      text_.remove_prefix(first_line(text_).consumed);
      return block;
    }
  }

 private:
  static constexpr std::string_view begin = "-----BEGIN ", end_line = "\n-----END ", dashes = "-----";

  /// Reads the block that ends with `body`, which ends with a line break. `after` is what follows "-----END
  /// ".
  static std::optional<Block> read(std::string_view body, std::string_view after) {
    const std::size_t at = body.substr(0, body.size() - 1).rfind(begin);
    if (at == std::string_view::npos || (at > 0 && body[at - 1] != '\n')) return std::nullopt;
    body.remove_prefix(at + begin.size());
    const Line first = first_line(body);
    if (!first.text.ends_with(dashes)) return std::nullopt;
    Block block{.type = first.text.substr(0, first.text.size() - dashes.size())};
    body.remove_prefix(first.consumed);
    for (Line line = first_line(body); line.text.find(':') != std::string_view::npos;
         line = first_line(body)) {
      block.has_headers = true;
      body.remove_prefix(line.consumed);
      if (body.empty()) return std::nullopt;
    }
    const Line last = first_line(after);
    if (last.text != std::string(block.type) + std::string(dashes)) return std::nullopt;
    std::string text;
    std::ranges::copy_if(body, std::back_inserter(text), [](char c) { return c != ' ' && c != '\t'; });
    auto bytes = base64_decode(text);
    if (!bytes) return std::nullopt;
    block.bytes = *std::move(bytes);
    return block;
  }

  std::string_view text_;
};

/// Returns whether bytes are one value of DER that is a sequence, and nothing else.
bool is_one_sequence(std::string_view bytes) {
  constexpr unsigned char sequence = 0x30, long_form = 0x80;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 2 || byte(0) != sequence) return false;
  std::size_t head = 2, length = byte(1);
  if (length >= long_form) {
    const std::size_t count = length - long_form;
    if (count == 0 || count > 3 || bytes.size() < 2 + count) return false;
    length = 0;
    for (std::size_t i = 0; i < count; ++i) length = length * 256 + byte(head++);
  }
  return bytes.size() == head + length;
}

/// Returns what is wrong with a block; empty: it is the certificate of an authority.
std::string fault_of(const Block& block) {
  if (block.type != "CERTIFICATE") return "has bad block type: " + std::string(block.type);
  if (block.has_headers) return "has PEM block headers";
  const std::string pem =
      "-----BEGIN CERTIFICATE-----\n" + base64_encode(block.bytes) + "\n-----END CERTIFICATE-----\n";
  const auto read = is_one_sequence(block.bytes) ? http::read_certificates(pem, "trustBundle")
                                                 : fail(ErrorCode::invalid, "no sequence");
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
  std::vector<Block> blocks;
  PemReader reader(text);
  while (auto block = reader.next()) blocks.push_back(*std::move(block));
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
