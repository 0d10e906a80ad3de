// SPDX-License-Identifier: Apache-2.0

// Validation of names: the API server's rules, with its messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// The violated rules of a text, one message each; empty if it is valid.
using Faults = std::vector<std::string>;

/// Checks a DNS label (RFC 1123): names of namespaces.
Faults check_dns_label(std::string_view text);
/// Checks a DNS label in the older form (RFC 1035), which begins with a letter: names of Services.
Faults check_dns_1035_label(std::string_view text);
/// Checks a DNS subdomain (RFC 1123), labels joined by dots: names of most objects, and groups.
Faults check_dns_subdomain(std::string_view text);
/// Checks "name" or "example.com/name": keys of labels and annotations, finalizers, types of conditions.
Faults check_qualified_name(std::string_view text);
/// Checks a key of an annotation: a qualified name, case-insensitive.
Faults check_annotation_key(std::string_view text);
Faults check_label_value(std::string_view text);
/// Checks a segment of a URL path, the minimum for any name.
Faults check_path_segment(std::string_view text);
/// Checks a name by which an object can be read: a segment of a path, UTF-8 without control characters, of at
/// most 253 bytes. Kubernetes allows any segment as the name of a role or binding, but cannot serve names
/// that are too long for a URL.
Faults check_path_name(std::string_view text);

}  // namespace fairway::k8s
