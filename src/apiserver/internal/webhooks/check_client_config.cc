// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/webhooks/check_client_config.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "http/certificate.h"
#include "k8s/names.h"
#include "k8s/view.h"

namespace fairway::apiserver::webhooks {

namespace {

using schema::Violations;

constexpr std::string_view desired = "; desired format: https://host[/path]";

/// The parts of a URL as Go's net/url splits it.
struct UrlParts {
  std::string_view scheme, user, host, query, fragment;
  bool has_user = false;
};

/// Cuts `text` at the first `at`, which belongs to neither part.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
  const std::size_t found = text.find(at);
  if (found == std::string_view::npos) return {text, {}};
  return {text.substr(0, found), text.substr(found + 1)};
}

/// Returns the reason why Go cannot parse a URL; empty if it can.
std::string parse_url(std::string_view text, UrlParts& parts) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) return "net/url: invalid control character in URL";
  std::tie(text, parts.fragment) = cut(text, '#');
  std::tie(text, parts.query) = cut(text, '?');
  const std::size_t colon = text.find(':');
  if (colon == 0) return "missing protocol scheme";
  if (colon != std::string_view::npos && text.find('/') > colon) {
    parts.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (!text.starts_with("//")) return {};
  text.remove_prefix(2);
  std::string_view authority = cut(text, '/').first;
  if (const std::size_t user = authority.rfind('@'); user != std::string_view::npos) {
    parts.has_user = true;
    parts.user = authority.substr(0, user);
    authority.remove_prefix(user + 1);
  }
  parts.host = authority;
  if (authority.starts_with('[') && authority.find(']') == std::string_view::npos)
    return "missing ']' in host";
  if (const std::size_t bad = authority.find_first_of(" <>\"{}|\\^`"); bad != std::string_view::npos) {
    return "invalid character " + quote(authority.substr(bad, 1)) + " in host name";
  }
  return {};
}

void check_url(std::string_view url, const std::string& path, Violations& problems) {
  UrlParts parts;
  if (const std::string why = parse_url(url, parts); !why.empty()) {
    problems.push_back(schema::required(
        path, "url must be a valid URL: parse " + quote(url) + ": " + why + std::string(desired)));
    return;
  }
  if (parts.scheme != "https") {
    problems.push_back(
        schema::invalid(path, parts.scheme, "'https' is the only allowed URL scheme" + std::string(desired)));
  }
  if (parts.host.empty()) {
    problems.push_back(schema::invalid(path, parts.host, "host must be specified" + std::string(desired)));
  }
  if (parts.has_user) {
    problems.push_back(schema::invalid(path, parts.user, "user information is not permitted in the URL"));
  }
  if (!parts.fragment.empty()) {
    problems.push_back(schema::invalid(path, parts.fragment, "fragments are not permitted in the URL"));
  }
  if (!parts.query.empty()) {
    problems.push_back(schema::invalid(path, parts.query, "query parameters are not permitted in the URL"));
  }
}

void check_url_path(std::string_view url_path, const std::string& path, Violations& problems) {
  if (url_path.empty() || url_path == "/") return;
  const auto add = [&](const std::string& detail) {
    problems.push_back(schema::invalid(path, url_path, detail));
  };
  if (url_path == "//") return add("segment[0] may not be empty");
  if (!url_path.starts_with('/')) add("must start with a '/'");
  std::string_view steps = url_path.substr(1);
  if (steps.ends_with('/')) steps.remove_suffix(1);
  std::size_t index = 0;
  for (const std::string_view step : split(steps, '/')) {
    const std::string segment = "segment[" + std::to_string(index++) + "]";
    if (step.empty()) {
      add(segment + " may not be empty");
      continue;
    }
    for (const std::string& fault : k8s::check_dns_subdomain(step)) add(segment + ": " + fault);
  }
}

void check_service(const k8s::View& service, const std::string& path, Violations& problems) {
  if (service.text("name").empty()) problems.push_back(schema::required(path + ".name", ""));
  if (service.text("namespace").empty()) problems.push_back(schema::required(path + ".namespace", ""));
  const std::int64_t port = service.integer("port");
  if (port < 1 || port > 65535) {
    problems.push_back(
        schema::invalid(path + ".port", port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  check_url_path(service.text("path"), path + ".path", problems);
}

}  // namespace

Violations check_client_config(const json::Object& config, const std::string& path) {
  Violations problems;
  const k8s::View view(config);
  if (view.has("url") == view.has("service")) {
    problems.push_back(schema::required(path, "exactly one of url or service is required"));
  } else if (view.has("url")) {
    check_url(view.text("url"), path + ".url", problems);
  } else {
    check_service(view.at("service"), path + ".service", problems);
  }
  return problems;
}

std::optional<std::string> why_unreadable(std::string_view ca_bundle) {
  if (ca_bundle.empty()) return std::nullopt;
  const auto text = base64_decode(ca_bundle);
  if (!text) return "it is not base64";
  const std::string what = "unable to load root certificates: ";
  if (text->find("-----BEGIN ") == std::string::npos) return what + "unable to parse bytes as PEM block";
  const auto read = http::read_certificates(*text, "the caBundle");
  if (read) return std::nullopt;
  return what + "failed to parse certificate: " + read.error().message;
}

Violations check_review_versions(const json::Value* versions, const std::string& path) {
  if (versions == nullptr || !versions->is_array() || versions->get_array().empty()) {
    return {schema::required(path, "")};
  }
  Violations problems;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions->get_array().size(); ++i) {
    const json::Value& value = versions->get_array()[i];
    const std::string_view version = value.is_string() ? value.get_string() : std::string_view();
    const std::string at = path + "[" + std::to_string(i) + "]";
    if (!seen.insert(version).second) {
      problems.push_back(schema::invalid(at, version, "duplicate version"));
      continue;
    }
    for (const std::string& fault : k8s::check_dns_1035_label(version)) {
      problems.push_back(schema::invalid(at, version, fault));
    }
  }
  if (!seen.contains("v1") && !seen.contains("v1beta1")) {
    problems.push_back(schema::invalid(path, *versions, "must include at least one of v1, v1beta1"));
  }
  return problems;
}

}  // namespace fairway::apiserver::webhooks
