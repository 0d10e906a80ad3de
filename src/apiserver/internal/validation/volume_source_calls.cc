// SPDX-License-Identifier: Apache-2.0

// Sources of volumes with rules of their own: iSCSI, Fibre Channel, and those of clouds.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns whether a text has "iqn.YYYY-MM.DOMAIN:NAME" at its end.
bool is_iqn(std::string_view text) {
  constexpr std::string_view begin = "iqn.";
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
    const std::string_view rest = text.substr(at + begin.size());
    if (rest.size() < 9 || !std::ranges::all_of(rest.substr(0, 4), is_digit) || rest[4] != '-' ||
        !is_digit(rest[5]) || !is_digit(rest[6]) || rest[7] != '.')
      continue;
    const std::string_view name = rest.substr(8);
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) continue;
    const auto fits = [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; };
    if (!std::ranges::all_of(name.substr(0, colon), fits)) continue;
    if (name.substr(colon + 1).find_first_of(",;*&$| \t\n\f\r") == std::string_view::npos) return true;
  }
  return false;
}

/// Returns whether a text is a prefix of three letters, any character, and so many letters and digits.
bool has_plain_tail(std::string_view text, std::size_t length) {
  return text.size() == 4 + length && text[3] != '\n' && std::ranges::all_of(text.substr(4), is_alphanumeric);
}

void check_iscsi_qualified(const Scope& source, std::string_view shown, std::string_view name) {
  const bool by_iqn = name.starts_with("iqn"), by_eui = name.starts_with("eui"),
             by_naa = name.starts_with("naa");
  if (!by_iqn && !by_eui && !by_naa) {
    source.invalid(shown, json::Value(name), "must be valid format starting with iqn, eui, or naa");
  } else if ((by_iqn && !is_iqn(name)) || (by_eui && !has_plain_tail(name, 16)) ||
             (by_naa && !has_plain_tail(name, 32))) {
    source.invalid(shown, json::Value(name), "must be valid format");
  }
}

void check_iscsi_target(const Scope& source) {
  if (const std::string_view name = source.text("iqn"); !name.empty())
    check_iscsi_qualified(source, "iqn", name);
}

void check_iscsi_initiator(const Scope& source) {
  if ((source.flag("chapAuthDiscovery") || source.flag("chapAuthSession")) && !source.has("secretRef"))
    source.required("secretRef");
  if (source.has("initiatorName"))
    check_iscsi_qualified(source, "initiatorname", source.text("initiatorName"));
}

void check_flocker(const Scope& source) {
  const std::string_view name = source.text("datasetName"), uuid = source.text("datasetUUID");
  if (name.empty() && uuid.empty()) source.required(".", "one of datasetName and datasetUUID is required");
  if (!name.empty() && !uuid.empty())
    source.invalid(".", "resource", "datasetName and datasetUUID can not be specified simultaneously");
  if (name.find('/') != std::string_view::npos)
    source.invalid("datasetName", json::Value(name), "must not contain '/'");
}

/// Returns whether a text is HOST:PORT as Go splits it.
bool is_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  return host.find_first_of("[]") == std::string_view::npos &&
         text.substr(colon).find_first_of("[]") == std::string_view::npos;
}

void check_quobyte(const Scope& source) {
  constexpr std::size_t longest_tenant = 64;
  constexpr std::string_view form = "must be a host:port pair or multiple pairs separated by commas";
  const std::string_view registry = source.text("registry");
  if (registry.empty()) {
    source.required("registry", form);
  } else if (source.text("tenant").size() > longest_tenant) {
    source.required("tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const std::string_view pair : split(registry, ',')) {
      if (!is_host_and_port(pair)) source.invalid("registry", json::Value(registry), form);
    }
  }
}

void check_fibre_channel(const Scope& source) {
  const bool has_names = !source.list("targetWWNs").empty(), has_ids = !source.list("wwids").empty();
  if (!has_names && !has_ids)
    source.required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  if (has_names && has_ids) {
    source.invalid("targetWWNs", source.value("targetWWNs"),
                   "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!has_names) return;
  const auto lun = source.integer("lun");
  if (!lun) {
    source.required("lun", "lun is required if targetWWNs is specified");
  } else if (*lun < 0 || *lun > 255) {
    source.invalid("lun", json::Value(*lun), "must be between 0 and 255, inclusive");
  }
}

void check_flex_options(const Scope& source) {
  const Path options = source.path().child("options");
  for (const auto& [key, value] : source.map("options")) {
    const std::string domain = "." + to_lower(key.substr(0, key.find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io")) {
      source.other(source.json(), options.key(key))
          .invalid(".", json::Value(key), "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

void check_azure_disk(const Scope& source) {
  if (!source.has("kind")) return;
  const std::string_view uri = source.text("diskURI");
  if (source.text("kind") == "Managed") {
    if (!uri.starts_with("/subscriptions/")) {
      source.not_supported("diskURI", json::Value(uri),
                           {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
                            "disks/{disk-id}"});
    }
  } else if (!uri.starts_with("https://")) {
    source.not_supported("diskURI", json::Value(uri),
                         {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void check_csi_driver(const Scope& source) {
  constexpr std::size_t longest = 63;
  const std::string_view driver = source.text("driver");
  if (driver.empty()) {
    source.required("driver");
    return;
  }
  if (driver.size() > longest) source.too_long("driver", longest);
  source.faults("driver", driver, k8s::check_dns_subdomain(to_lower(driver)));
}

void check_csi_secret(const Scope& source) {
  if (!source.has("nodePublishSecretRef")) return;
  const Scope secret = source.child("nodePublishSecretRef");
  const std::string_view name = secret.text("name");
  if (name.empty()) {
    secret.required("name");
  } else {
    source.faults("name", name, k8s::check_dns_subdomain(name));
  }
}

constexpr std::array calls{
    NamedCall{"iscsi_target", &check_iscsi_target},
    NamedCall{"iscsi_initiator", &check_iscsi_initiator},
    NamedCall{"flocker", &check_flocker},
    NamedCall{"quobyte", &check_quobyte},
    NamedCall{"fibre_channel", &check_fibre_channel},
    NamedCall{"flex_options", &check_flex_options},
    NamedCall{"azure_disk", &check_azure_disk},
    NamedCall{"csi_driver", &check_csi_driver},
    NamedCall{"csi_secret", &check_csi_secret},
};

}  // namespace

std::span<const NamedCall> volume_source_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
