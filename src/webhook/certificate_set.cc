// SPDX-License-Identifier: Apache-2.0

#include "webhook/certificate_set.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "k8s/micro_time.h"
#include "k8s/view.h"

namespace fairway::webhook {
namespace {

constexpr std::string_view serving_certificate = "server-cert.pem", serving_key = "server-key.pem",
                           bundle_key = "ca-cert.pem", current_key = "ca-key.pem",
                           current_certificate = "current-ca-cert.pem", next_certificate = "next-ca-cert.pem",
                           next_key = "next-ca-key.pem", previous_certificate = "previous-ca-cert.pem",
                           rotation = "rotation.json";

using WallDuration = WallTime::duration;

WallDuration span(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<WallDuration>(time);
}

/// Returns the validity from `now`, backdated by `skew`, in whole seconds, as certificates have them.
http::Validity validity_from(WallTime now, std::chrono::nanoseconds skew, std::chrono::nanoseconds lasts) {
  return {now - span(skew), now + span(lasts)};
}

Result<http::CertificateFacts> facts_of(const std::string& certificate, std::string_view origin) {
  auto facts = http::read_certificates(certificate, std::string(origin));
  if (!facts) return fail(facts.error());
  return std::move(facts->front());
}

/// One CA's certificate and, if it has one, its key.
Result<CertificateSet::Authority> read_authority(const k8s::Secret& secret, std::string_view certificate,
                                                 std::optional<std::string_view> key, const k8s::View& times,
                                                 std::string_view since) {
  CertificateSet::Authority authority;
  authority.pair.certificate = secret.data(certificate).value_or("");
  const auto facts = facts_of(authority.pair.certificate, certificate);
  if (!facts) return fail(facts.error());
  if (!facts->is_authority)
    return fail(ErrorCode::invalid, std::string(certificate) + ": it is no certificate authority's");
  if (key) {
    authority.pair.key = secret.data(*key).value_or("");
    if (auto checked = http::check_key(authority.pair, std::string(*key)); !checked)
      return fail(checked.error());
  }
  const auto time = k8s::parse_micro_time(times.text(since));
  if (!time) return fail(time.error().within(std::string(rotation) + ": " + std::string(since)));
  authority.since = *time;
  return authority;
}

Result<CertificateSet::Authority> make_authority(const CertificatePolicy& policy, WallTime now) {
  auto pair =
      http::make_authority(policy.authority_name, validity_from(now, policy.skew, policy.ca_validity));
  if (!pair) return fail(pair.error());
  return CertificateSet::Authority{*std::move(pair), now};
}

}  // namespace

Result<void> CertificatePolicy::check() const {
  const auto bad = [](const std::string& why) {
    return fail(ErrorCode::invalid, "the webhook's certificates: " + why);
  };
  if (names.empty()) return bad("there is no name that the server is called by");
  if (serving_rotation <= std::chrono::nanoseconds(0) || ca_rotation <= std::chrono::nanoseconds(0) ||
      ca_overlap < std::chrono::nanoseconds(0)) {
    return bad("rotations must be longer than nothing, and the overlap not shorter");
  }
  if (serving_validity <= serving_rotation)
    return bad("the server's certificate would end (" + format_duration(serving_validity) +
               ") before it is replaced (" + format_duration(serving_rotation) + ")");
  // A CA must outlive the last certificate that it signs, which is served until its successor signs.
  if (ca_validity <= ca_rotation + 2 * ca_overlap + serving_rotation)
    return bad("a CA would end (" + format_duration(ca_validity) + ") before what it signed is replaced (" +
               format_duration(ca_rotation + 2 * ca_overlap + serving_rotation) + ")");
  if (ca_rotation <= 2 * ca_overlap)
    return bad("a CA would be replaced (" + format_duration(ca_rotation) +
               ") before the one before it has left the bundle (" + format_duration(2 * ca_overlap) + ")");
  return {};
}

Result<std::optional<CertificateSet>> CertificateSet::read(const k8s::Secret& secret) {
  constexpr std::array required = {serving_certificate, serving_key, current_key, current_certificate,
                                   rotation};
  const k8s::StringMap data = secret.map("data");
  if (std::ranges::none_of(required, [&](std::string_view key) { return data.contains(key); }))
    return std::nullopt;
  for (const std::string_view key : required) {
    if (!secret.data(key)) {
      return fail(
          ErrorCode::invalid,
          std::string(key) + (data.contains(key) ? " is not base64" : " is missing beside the other keys"));
    }
  }
  const auto document = json::parse(*secret.data(rotation));
  if (!document || !document->is_object()) {
    return fail(ErrorCode::invalid, std::string(rotation) + ": " +
                                        (document ? "it is no JSON object" : document.error().message));
  }
  const k8s::View times(document->get_object());
  CertificateSet set;
  auto current = read_authority(secret, current_certificate, current_key, times, "currentSince");
  if (!current) return fail(current.error());
  set.current_ = *std::move(current);
  if (data.contains(next_certificate)) {
    auto next = read_authority(secret, next_certificate, next_key, times, "nextSince");
    if (!next) return fail(next.error());
    set.next_ = *std::move(next);
  }
  if (data.contains(previous_certificate)) {
    auto previous = read_authority(secret, previous_certificate, std::nullopt, times, "previousSince");
    if (!previous) return fail(previous.error());
    set.previous_ = *std::move(previous);
  }
  set.serving_ = {*secret.data(serving_certificate), *secret.data(serving_key)};
  if (auto checked = http::check_key(set.serving_, std::string(serving_certificate)); !checked)
    return fail(checked.error());
  const auto since = k8s::parse_micro_time(times.text("servingSince"));
  if (!since) return fail(since.error().within(std::string(rotation) + ": servingSince"));
  set.serving_since_ = *since;
  return set;
}

void CertificateSet::write(k8s::Secret& secret) const {
  const auto put = [&](std::string_view key, const std::string* text) {
    if (text != nullptr) {
      secret.set_data(key, *text);
    } else {
      secret.remove_data(key);
    }
  };
  json::Object times{{"currentSince", k8s::format_micro_time(current_.since)},
                     {"servingSince", k8s::format_micro_time(serving_since_)}};
  if (next_) times["nextSince"] = k8s::format_micro_time(next_->since);
  if (previous_) times["previousSince"] = k8s::format_micro_time(previous_->since);
  const std::string all = bundle(), written = json::to_text(times);
  put(serving_certificate, &serving_.certificate);
  put(serving_key, &serving_.key);
  put(bundle_key, &all);
  put(current_certificate, &current_.pair.certificate);
  put(current_key, &current_.pair.key);
  put(next_certificate, next_ ? &next_->pair.certificate : nullptr);
  put(next_key, next_ ? &next_->pair.key : nullptr);
  put(previous_certificate, previous_ ? &previous_->pair.certificate : nullptr);
  put(rotation, &written);
}

Result<CertificateSet> CertificateSet::make(const CertificatePolicy& policy, WallTime now) {
  CertificateSet set;
  auto authority = make_authority(policy, now);
  if (!authority) return fail(authority.error());
  set.current_ = *std::move(authority);
  if (auto issued = set.issue(policy, now); !issued) return fail(issued.error());
  return set;
}

Result<void> CertificateSet::issue(const CertificatePolicy& policy, WallTime now) {
  http::Validity validity = validity_from(now, policy.skew, policy.serving_validity);
  // It is not trusted for longer than its CA.
  if (const auto ca = facts_of(current_.pair.certificate, current_certificate); ca)
    validity.until = std::min(validity.until, ca->validity.until);
  auto made =
      http::issue_certificate(current_.pair, policy.names.front().substr(0, 64), policy.names, validity);
  if (!made) return fail(made.error());
  // A name that no certificate can have would cause endless renewals.
  for (const std::string& name : policy.names) {
    if (auto trusted = http::check_trust(made->certificate, current_.pair.certificate, name, now); !trusted)
      return fail(
          trusted.error().within("issuing the server's certificate for '" + printable(name, 100) + "'"));
  }
  serving_ = *std::move(made);
  serving_since_ = now;
  return {};
}

Result<void> CertificateSet::begin_replacing_authority(const CertificatePolicy& policy, WallTime now) {
  if (next_) return {};
  auto made = make_authority(policy, now);
  if (!made) return fail(made.error());
  next_ = *std::move(made);
  return {};
}

bool CertificateSet::serving_is_due(const CertificatePolicy& policy, WallTime now) const {
  const auto facts = facts_of(serving_.certificate, serving_certificate);
  if (!facts) return true;
  const auto left = span(policy.serving_validity - policy.serving_rotation);
  return now - serving_since_ >= span(policy.serving_rotation) || now >= facts->validity.until - left ||
         std::ranges::any_of(policy.names, [&](const std::string& name) {
           return !http::check_trust(serving_.certificate, current_.pair.certificate, name, now);
         });
}

Result<bool> CertificateSet::advance(const CertificatePolicy& policy, WallTime now,
                                     std::optional<WallTime> trusted_since) {
  bool changed = false;
  const auto overlap = span(policy.ca_overlap);
  const auto facts = facts_of(current_.pair.certificate, current_certificate);
  if (!facts) return fail(facts.error());
  if (now >= facts->validity.until) {
    // It is not trusted any more: there is nothing to overlap with.
    auto made = make(policy, now);
    if (!made) return fail(made.error());
    *this = *std::move(made);
    return true;
  }
  if (previous_ && now - previous_->since >= overlap) {
    previous_.reset();
    changed = true;
  }
  const bool ends_soon = now >= facts->validity.until - span(policy.ca_validity - policy.ca_rotation);
  if (!next_ && (now - current_.since >= span(policy.ca_rotation) || ends_soon)) {
    // It is in no bundle yet, whatever was published before.
    if (auto begun = begin_replacing_authority(policy, now); !begun) return fail(begun.error());
    return true;
  }
  if (next_ && trusted_since && now - std::max(next_->since, *trusted_since) >= overlap) {
    previous_ = Authority{{current_.pair.certificate, ""}, now};
    current_ = {std::move(next_->pair), now};
    next_.reset();
    changed = true;
  }
  if (serving_is_due(policy, now)) {
    if (auto issued = issue(policy, now); !issued) return fail(issued.error());
    changed = true;
  }
  return changed;
}

WallTime CertificateSet::due(const CertificatePolicy& policy, std::optional<WallTime> trusted_since) const {
  const auto overlap = span(policy.ca_overlap);
  WallTime due = serving_since_ + span(policy.serving_rotation);
  if (!next_) {
    due = std::min(due, current_.since + span(policy.ca_rotation));
  } else if (trusted_since) {
    due = std::min(due, std::max(next_->since, *trusted_since) + overlap);
  }
  if (previous_) due = std::min(due, previous_->since + overlap);
  return due;
}

std::string CertificateSet::bundle() const {
  std::vector<std::string> authorities{current_.pair.certificate};
  if (next_) authorities.push_back(next_->pair.certificate);
  if (previous_) authorities.push_back(previous_->pair.certificate);
  std::ranges::sort(authorities);
  return join(authorities, "");
}

}  // namespace fairway::webhook
