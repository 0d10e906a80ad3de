// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/certificate_request_strategy.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/base64.h"
#include "base/quoted_text.h"
#include "http/certificate_request.h"
#include "k8s/equality.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view conditions_path = "status.conditions", certificate_path = "status.certificate";
/// Conditions that the approver of a request sets, and that nobody removes.
constexpr std::array<std::string_view, 2> decisions{"Approved", "Denied"};
constexpr std::array<std::string_view, 3> lasting{"Approved", "Denied", "Failed"};

/// Returns the conditions of one type.
std::vector<k8s::View> conditions_of(const Dynamic& object, std::string_view type) {
  std::vector<k8s::View> found = object.items(conditions_path);
  std::erase_if(found, [&](const k8s::View& one) { return one.text("type") != type; });
  return found;
}

bool are_same(const std::vector<k8s::View>& a, const std::vector<k8s::View>& b) {
  return std::ranges::equal(a, b, [](const k8s::View& one, const k8s::View& other) {
    return k8s::equal_with_null_as_absent(json::Value(one.json()), json::Value(other.json()));
  });
}

bool has_both_decisions(const Dynamic& object) {
  return !conditions_of(object, decisions[0]).empty() && !conditions_of(object, decisions[1]).empty();
}

bool has_duplicates(const Dynamic& object) {
  std::set<std::string_view> seen;
  return std::ranges::any_of(object.items(conditions_path),
                             [&](const k8s::View& one) { return !seen.insert(one.text("type")).second; });
}

void check_conditions(std::vector<FieldError>& errors, const Dynamic& object, const Dynamic& old) {
  // Stored conditions may stay as they are.
  const bool may_have_both = has_both_decisions(old), may_repeat = has_duplicates(old);
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const k8s::View& condition : object.items(conditions_path)) {
    const std::string path = std::string(conditions_path) + "[" + std::to_string(index++) + "]";
    const std::string_view type = condition.text("type"), status = condition.text("status");
    if (type.empty()) errors.push_back(FieldError::required(path + ".type", ""));
    const bool lasts = std::ranges::find(lasting, type) != lasting.end();
    const bool is_known = status == "True" || (!lasts && (status == "False" || status == "Unknown"));
    if (status.empty()) {
      errors.push_back(FieldError::required(path + ".status", ""));
    } else if (!is_known) {
      const std::vector<std::string_view> all{"False", "True", "Unknown"}, only{"True"};
      errors.push_back(FieldError::not_supported(path + ".status", json::Value(status), lasts ? only : all));
    }
    const auto other = type == decisions[0] ? decisions[1] : type == decisions[1] ? decisions[0] : "";
    if (!may_have_both && !other.empty() && seen.contains(other)) {
      errors.push_back(FieldError::invalid(conditions_path, json::Value(type),
                                           "Approved and Denied conditions are mutually exclusive"));
    }
    if (!seen.insert(type).second && !may_repeat) {
      errors.push_back(FieldError::duplicate(path + ".type", json::Value(type)));
    }
  }
}

constexpr std::array<std::string_view, 23> known_usages{"any",
                                                        "cert sign",
                                                        "client auth",
                                                        "code signing",
                                                        "content commitment",
                                                        "crl sign",
                                                        "data encipherment",
                                                        "decipher only",
                                                        "digital signature",
                                                        "email protection",
                                                        "encipher only",
                                                        "ipsec end system",
                                                        "ipsec tunnel",
                                                        "ipsec user",
                                                        "key agreement",
                                                        "key encipherment",
                                                        "microsoft sgc",
                                                        "netscape sgc",
                                                        "ocsp signing",
                                                        "s/mime",
                                                        "server auth",
                                                        "signing",
                                                        "timestamping"};
constexpr std::int64_t least_seconds = 600;

void check_usages(std::vector<FieldError>& errors, const Dynamic& object) {
  const std::string path = "spec.usages";
  const std::vector<std::string_view> usages = object.texts(path);
  if (usages.empty()) errors.push_back(FieldError::required(path, ""));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < usages.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    if (std::ranges::find(known_usages, usages[i]) == known_usages.end()) {
      errors.push_back(
          FieldError::not_supported(at, json::Value(usages[i]), {known_usages.begin(), known_usages.end()}));
    }
    if (!seen.insert(usages[i]).second) errors.push_back(FieldError::duplicate(at, json::Value(usages[i])));
  }
}

void check_signer(std::vector<FieldError>& errors, std::string_view signer) {
  const std::string path = "spec.signerName";
  if (signer.empty()) {
    errors.push_back(FieldError::required(path, ""));
  } else if (signer == "kubernetes.io/legacy-unknown") {
    errors.push_back(FieldError::invalid(path, json::Value(signer),
                                         "the legacy signerName is not allowed via this API version"));
  } else if (const std::size_t slash = signer.find('/');
             slash == std::string_view::npos || signer.find('/', slash + 1) != std::string_view::npos ||
             slash == 0 || slash + 1 == signer.size()) {
    errors.push_back(FieldError::invalid(
        path, json::Value(signer),
        "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
  } else if (const auto faults = k8s::check_dns_subdomain(signer.substr(0, slash)); !faults.empty()) {
    errors.push_back(FieldError::invalid(path, json::Value(signer.substr(0, slash)), faults.front()));
  }
}

/// Checks the spec of a new request.
void check_spec(std::vector<FieldError>& errors, const Dynamic& object) {
  const auto read = http::read_certificate_request(base64_decode(object.text("spec.request")).value_or(""));
  // Not quoted: somebody may have pasted a key.
  if (!read) errors.push_back(FieldError::invalid("spec.request", "<omitted>", read.error().message));
  check_usages(errors, object);
  check_signer(errors, object.text("spec.signerName"));
  const auto seconds = object.find_integer("spec.expirationSeconds");
  if (seconds && *seconds < least_seconds) {
    errors.push_back(FieldError::invalid("spec.expirationSeconds", json::Value(*seconds),
                                         "may not specify a duration less than 600 seconds (10 minutes)"));
  }
}

class CertificateRequestStrategy final : public Strategy {
 public:
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part part) const override {
    if (part == Part::object) {
      const json::Value* spec = old.find("spec");
      object.erase("spec");
      if (spec != nullptr) object.set("spec", json::Value(*spec));
      return;
    }
    if (part == Part::status) keep_decisions(object, old);
  }

  void stamp(Dynamic& object, const Dynamic* old, const Writer& writer) const override {
    if (old == nullptr) {
      set_requester(object, writer.user);
    } else {
      keep_transitions(object, *old);
    }
  }

  void set_times(Dynamic& object, WallTime now) const override {
    if (object.items(conditions_path).empty()) return;
    for (k8s::Editor& condition : object.edit_items(conditions_path)) {
      for (const std::string_view field : {"lastUpdateTime", "lastTransitionTime"})
        if (!condition.has(field)) condition.set_time(field, now);
    }
  }

  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part part) const override {
    std::vector<FieldError> errors;
    if (old == nullptr) {
      check_spec(errors, object);
      return errors;
    }
    check_conditions(errors, object, *old);
    const auto forbid = [&](std::string_view what, std::string_view type) {
      errors.push_back(FieldError::forbidden(
          conditions_path, "updates may not " + std::string(what) + " a condition of type " + quote(type)));
    };
    for (const std::string_view type : lasting) {
      const auto before = conditions_of(*old, type), now = conditions_of(object, type);
      const bool is_decision = std::ranges::find(decisions, type) != decisions.end();
      if (now.size() < before.size()) {
        forbid("remove", type);
      } else if (is_decision && part != Part::approval && now.size() > before.size()) {
        forbid("add", type);
      } else if (is_decision && part != Part::approval && !are_same(before, now)) {
        forbid("modify", type);
      }
    }
    const std::string_view before = old->text(certificate_path), now = object.text(certificate_path);
    if (before != now && part != Part::status) {
      errors.push_back(FieldError::forbidden(certificate_path, "updates may not set certificate content"));
    } else if (before != now && !before.empty()) {
      errors.push_back(
          FieldError::forbidden(certificate_path, "updates may not modify existing certificate content"));
    }
    return errors;
  }

 private:
  /// Sets the requester from the user of the write. Approvers and signers trust it, so the client's own
  /// values do not count.
  static void set_requester(Dynamic& object, const access::User& user) {
    for (const std::string_view field : {"spec.username", "spec.uid", "spec.groups", "spec.extra"}) {
      object.erase(field);
    }
    if (!user.name.empty()) object.set("spec.username", user.name);
    if (!user.uid.empty()) object.set("spec.uid", user.uid);
    if (!user.groups.empty()) {
      json::Array groups;
      for (const std::string& group : user.groups) groups.emplace_back(group);
      object.set("spec.groups", json::Value(std::move(groups)));
    }
    for (const auto& [key, values] : user.extra) {
      json::Array texts;
      for (const std::string& value : values) texts.emplace_back(value);
      object.object("spec.extra").insert_or_assign(key, std::move(texts));
    }
  }

  /// Keeps the transition time of a condition whose status has not changed.
  static void keep_transitions(Dynamic& object, const Dynamic& old) {
    if (object.items(conditions_path).empty()) return;
    for (k8s::Editor& condition : object.edit_items(conditions_path)) {
      if (condition.has("lastTransitionTime")) continue;
      for (const k8s::View& before : conditions_of(old, condition.text("type"))) {
        const auto time = before.find_text("lastTransitionTime");
        if (!time || before.text("status") != condition.text("status")) continue;
        condition.set("lastTransitionTime", *time);
        break;
      }
    }
  }

  /// Keeps the decisions as they are where a status repeats them.
  static void keep_decisions(Dynamic& object, const Dynamic& old) {
    for (const std::string_view type : decisions) {
      const auto before = conditions_of(old, type);
      if (before.size() != conditions_of(object, type).size()) continue;
      std::size_t next = 0;
      if (before.empty()) continue;
      for (k8s::Editor& condition : object.edit_items(conditions_path)) {
        if (condition.text("type") == type) condition.json() = before[next++].json();
      }
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> certificate_request_strategy() {
  return std::make_shared<CertificateRequestStrategy>();
}

}  // namespace fairway::apiserver::resources
