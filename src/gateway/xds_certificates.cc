// SPDX-License-Identifier: Apache-2.0

#include "gateway/xds_certificates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/address_range.h"
#include "base/file.h"
#include "base/log.h"
#include "base/private_folder.h"

namespace fairway::gateway {

namespace {

/// Time by which certificates are backdated, for machines whose clocks are behind.
constexpr std::chrono::minutes skew{5};
/// Pause after a failed renewal, and the longest pause before the next renewal: the machine's time may
/// change.
constexpr std::chrono::minutes retry{1};
constexpr std::chrono::hours longest_pause{1};

/// Reads a file that holds a certificate followed by its key; std::nullopt: it does not exist, or is of no
/// use.
std::optional<http::KeyedCertificate> read_pair(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  const std::size_t key = text->find("-----BEGIN PRIVATE KEY-----");
  if (key == std::string::npos) return std::nullopt;
  http::KeyedCertificate pair{.certificate = text->substr(0, key), .key = text->substr(key)};
  if (!http::check_key(pair, path.string())) return std::nullopt;
  return pair;
}

Result<void> write_pair(const std::filesystem::path& path, const http::KeyedCertificate& pair) {
  return write_file_atomically(path, pair.certificate + pair.key);
}

std::optional<http::CertificateFacts> first_facts(const std::string& pem) {
  auto facts = http::read_certificates(pem, "certificate");
  if (!facts || facts->empty()) return std::nullopt;
  return std::move(facts->front());
}

/// Returns the time at which a certificate of the server or of an Envoy is to be replaced; std::nullopt: now.
std::optional<WallTime> due_at(const std::optional<http::KeyedCertificate>& pair,
                               const http::CertificateFacts& authority, WallTime now) {
  if (!pair) return std::nullopt;
  const auto facts = first_facts(pair->certificate);
  if (!facts || facts->authority_key_id != authority.subject_key_id || facts->validity.from > now)
    return std::nullopt;
  const WallTime due = facts->validity.until - (XdsCertificates::validity - XdsCertificates::rotation);
  return due > now ? std::optional(due) : std::nullopt;
}

}  // namespace

bool XdsCertificates::are_for(std::string_view listen) {
  static const AddressRange four = *AddressRange::parse("127.0.0.0/8"), six = *AddressRange::parse("::1");
  std::string_view host = listen.substr(0, listen.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host == "localhost" || four.contains(host) || six.contains(host);
}

Result<std::unique_ptr<XdsCertificates>> XdsCertificates::create(std::filesystem::path folder,
                                                                 const Clock& clock) {
  if (auto made = make_private_folder(folder); !made) return fail(made.error());
  std::unique_ptr<XdsCertificates> certificates(new XdsCertificates(std::move(folder), clock));
  if (const auto renewed = certificates->renew(); !renewed) return fail(renewed.error());
  return certificates;
}

xds::ServerTls XdsCertificates::tls() const {
  const std::string server = (folder_ / "server.pem").string();
  return {.certificate_file = server, .key_file = server, .authority_file = (folder_ / "ca.pem").string()};
}

Result<http::KeyedCertificate> XdsCertificates::authority(bool& is_new) const {
  const WallTime now = clock_.now();
  const auto kept = read_pair(folder_ / "authority.pem");
  const auto facts = kept ? first_facts(kept->certificate) : std::nullopt;
  is_new = !facts || !facts->is_authority || facts->validity.from > now ||
           facts->validity.until < now + authority_rest;
  if (!is_new) return *kept;
  return http::make_authority("Fairway Envoys", {.from = now - skew, .until = now + authority_validity});
}

Result<WallTime> XdsCertificates::renew() {
  bool is_new = false;
  const auto signer = authority(is_new);
  if (!signer) return fail(signer.error().within("making an authority for Envoys"));
  const auto facts = first_facts(signer->certificate);
  if (!facts) return fail(ErrorCode::internal, "the authority for Envoys cannot be read");
  if (is_new) {
    // Who shows a certificate of the one before is let in until it has the new one.
    const auto before = read_pair(folder_ / "authority.pem");
    const bool is_known = before && first_facts(before->certificate);
    const auto trusted = write_file_atomically(folder_ / "ca.pem",
                                               signer->certificate + (is_known ? before->certificate : ""));
    if (!trusted) return fail(trusted.error());
    if (auto written = write_pair(folder_ / "authority.pem", *signer); !written) return fail(written.error());
  } else {
    // Somebody may have removed it, or damaged it.
    const auto trusted = read_file(folder_ / "ca.pem");
    if (!trusted || !trusted->starts_with(signer->certificate)) {
      if (auto written = write_file_atomically(folder_ / "ca.pem", signer->certificate); !written)
        return fail(written.error());
    }
  }
  const WallTime now = clock_.now();
  const http::Validity valid{.from = now - skew, .until = now + validity};
  WallTime next = facts->validity.until - authority_rest;
  const auto keep = [&](const char* name, const auto& issue) -> Result<void> {
    if (const auto due = due_at(read_pair(folder_ / name), *facts, now)) {
      next = std::min(next, *due);
      return {};
    }
    const Result<http::KeyedCertificate> made = issue();
    if (!made) return fail(made.error().within("making a certificate for Envoys"));
    next = std::min(next, now + rotation);
    return write_pair(folder_ / name, *made);
  };
  const auto server = keep("server.pem", [&] {
    return http::issue_certificate(*signer, "fairway gateway", {"localhost", "127.0.0.1", "::1"}, valid);
  });
  if (!server) return fail(server.error());
  const auto envoy =
      keep("envoy.pem", [&] { return http::issue_client_certificate(*signer, "envoy", {}, valid); });
  if (!envoy) return fail(envoy.error());
  return next;
}

void XdsCertificates::run(Clock& clock, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::chrono::nanoseconds pause = longest_pause;
    if (const auto next = renew()) {
      pause = std::clamp<std::chrono::nanoseconds>(*next - clock.now(), retry, longest_pause);
    } else {
      log::warning("certificates of Envoys are not renewed", {{"error", next.error().message}});
      pause = retry;
    }
    clock.wait_until(clock.steady() + pause, stop);
  }
}

}  // namespace fairway::gateway
