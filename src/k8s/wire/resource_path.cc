// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/resource_path.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/percent_encoding.h"
#include "base/text.h"
#include "k8s/names.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {

namespace {

/// Maximum lengths of a name in a path: a DNS label, or labels joined by dots.
constexpr std::size_t max_label = 63, max_subdomain = 253;

/// Returns whether a segment after a Namespace's name is a subresource of it, and not a resource in it.
bool is_namespace_subresource(std::string_view text) {
  return text == "status" || text == "finalize";
}

/// Returns whether a path segment selects a verb and is not a resource.
bool is_prefix(std::string_view text) {
  return text == "watch" || text == "proxy";
}

/// Returns the reason why a text may not be a part of a path; empty if it may.
std::string fault_of(std::string_view text, std::size_t longest) {
  if (text.empty()) return "may not be empty";
  if (text.size() > longest) return "may not be longer than " + std::to_string(longest) + " bytes";
  return join(check_path_name(text), "; ");
}

Result<void> check_part(std::string_view what, std::string_view text, std::size_t longest) {
  const std::string fault = fault_of(text, longest);
  if (fault.empty()) return {};
  return fail(ErrorCode::invalid, "'" + printable(text, 100) + "' is no " + std::string(what) + ": " + fault);
}

void append_segment(std::string& path, std::string_view text) {
  path += '/';
  path += percent_encode(text);
}

std::unexpected<Status> refuse(std::string_view path, std::string_view why) {
  return std::unexpected(answer::bad_request("the path " + printable(path, 200) + ": " + std::string(why)));
}

}  // namespace

Result<void> ResourcePath::check() const {
  const auto bad = [](std::string why) { return fail(ErrorCode::invalid, std::move(why)); };
  if (!resource.group.empty()) {
    if (auto checked = check_part("group", resource.group, max_subdomain); !checked) return checked;
  }
  if (auto checked = check_part("version", resource.version, max_label); !checked) return checked;
  if (auto checked = check_part("resource", resource.resource, max_label); !checked) return checked;
  if (is_prefix(resource.resource)) {
    return bad("the resource '" + resource.resource +
               "' cannot stand in a path: it would be read as a prefix");
  }
  if (!namespace_name.empty()) {
    if (auto checked = check_part("namespace", namespace_name, max_label); !checked) return checked;
    if (is_namespace_subresource(resource.resource)) {
      return bad("the resource '" + resource.resource +
                 "' cannot stand in a namespace's path: it would be read as a subresource of the namespace");
    }
    if (resource.resource == "namespaces") return bad("namespaces are not in a namespace");
  }
  if (!name.empty()) {
    const bool is_namespace = resource.resource == "namespaces";
    if (auto checked = check_part("name", name, is_namespace ? max_label : max_subdomain); !checked)
      return checked;
  }
  if (!subresource.empty()) {
    if (name.empty())
      return bad("the subresource '" + printable(subresource, 100) + "' needs an object's name");
    if (auto checked = check_part("subresource", subresource, max_label); !checked) return checked;
    if (resource.resource == "namespaces" && !is_namespace_subresource(subresource)) {
      return bad("the subresource '" + subresource +
                 "' of a namespace cannot stand in a path: it would be read as a resource in it");
    }
  }
  if (!rest.empty() && subresource.empty()) return bad("a path's rest needs a subresource");
  for (const std::string_view part : split(rest, '/')) {
    if (part == "." || part == "..") return bad("the rest of the path has '" + std::string(part) + "' in it");
  }
  return {};
}

std::string ResourcePath::to_string() const {
  std::string path = resource.group.empty() ? "/api" : "/apis";
  if (!resource.group.empty()) append_segment(path, resource.group);
  append_segment(path, resource.version);
  if (!namespace_name.empty()) {
    path += "/namespaces";
    append_segment(path, namespace_name);
  }
  append_segment(path, resource.resource);
  if (!name.empty()) append_segment(path, name);
  if (!subresource.empty()) append_segment(path, subresource);
  if (!rest.empty()) path += "/" + percent_encode(rest, "/");
  return path;
}

std::string_view ResourcePath::access_namespace() const {
  return resource.resource == "namespaces" ? name : namespace_name;
}

StatusResult<ApiPath> ApiPath::parse(std::string_view path) {
  ApiPath result;
  if (!path.starts_with('/')) return refuse(path, "it does not begin with a slash");
  std::vector<std::string_view> encoded = split(path.substr(1), '/');
  if (encoded.size() > 1 && encoded.back().empty()) encoded.pop_back();
  const bool is_core = encoded.front() == "api";
  if (!is_core && encoded.front() != "apis") return result;

  std::vector<std::string> decoded;
  for (const std::string_view segment : encoded) {
    auto text = percent_decode(segment);
    if (!text) return refuse(path, "'" + printable(segment, 100) + "' has a broken escape");
    decoded.push_back(*std::move(text));
  }
  std::span<const std::string> parts(decoded);
  parts = parts.subspan(1);
  const auto take = [&](std::string& into) {
    into = parts.front();
    parts = parts.subspan(1);
  };
  // Each part is checked when its meaning is known.
  const auto is_bad = [&](std::string_view what, std::string_view text, std::size_t longest) {
    const auto checked = check_part(what, text, longest);
    return checked ? std::string() : checked.error().message;
  };
  ResourcePath& at = result.resource;
  result.kind = is_core ? Kind::core_versions : Kind::groups;
  if (parts.empty()) return result;
  if (!is_core) {
    take(at.resource.group);
    if (const auto why = is_bad("group", at.resource.group, max_subdomain); !why.empty())
      return refuse(path, why);
    result.kind = Kind::group;
    if (parts.empty()) return result;
  }
  take(at.resource.version);
  if (const auto why = is_bad("version", at.resource.version, max_label); !why.empty())
    return refuse(path, why);
  result.kind = Kind::group_version;
  if (parts.empty()) return result;

  result.kind = Kind::resource;
  if (parts.front() == "watch") {
    return refuse(
        path, "the prefix 'watch' is not offered; ask the path without it, with the parameter watch=true");
  }
  if (parts.front() == "proxy") {
    return refuse(path, "the prefix 'proxy' is not offered; use the subresource 'proxy' of the object");
  }
  if (parts.front() == "namespaces" && parts.size() > 2 && !is_namespace_subresource(parts[2])) {
    at.namespace_name = parts[1];
    if (at.namespace_name.empty()) return refuse(path, "the namespace is empty");
    parts = parts.subspan(2);
  }
  take(at.resource.resource);
  if (!parts.empty()) {
    take(at.name);
    if (at.name.empty()) return refuse(path, "the name is empty");
  }
  if (!parts.empty()) {
    take(at.subresource);
    if (at.subresource.empty()) return refuse(path, "the subresource is empty");
  }
  if (std::ranges::any_of(parts, [](const std::string& part) { return part.contains('/'); })) {
    return refuse(path, "there is an encoded slash behind the subresource");
  }
  // Kubernetes trims all slashes at a path's end before it reads it.
  while (!parts.empty() && parts.back().empty()) parts = parts.first(parts.size() - 1);
  at.rest = join({parts.begin(), parts.end()}, "/");
  if (auto checked = at.check(); !checked) return refuse(path, checked.error().message);
  return result;
}

}  // namespace fairway::k8s
