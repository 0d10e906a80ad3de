// What may be a name: the API server's rules, in its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// What is wrong with a text, one entry a rule that it breaks; empty where it is valid.
using Faults = std::vector<std::string>;

/// A label of DNS (RFC 1123): names of namespaces.
Faults check_dns_label(std::string_view text);
/// A label of DNS in the older form (RFC 1035), which begins with a letter: names of Services.
Faults check_dns_1035_label(std::string_view text);
/// Labels joined by dots (RFC 1123): names of most objects, and groups.
Faults check_dns_subdomain(std::string_view text);
/// "name" or "example.com/name": keys of labels and annotations, finalizers, types of conditions.
Faults check_qualified_name(std::string_view text);
/// An annotation's key is a qualified name whose case does not matter.
Faults check_annotation_key(std::string_view text);
Faults check_label_value(std::string_view text);
/// What can be one segment of a URL's path, the least that any name must be.
Faults check_path_segment(std::string_view text);

}  // namespace fairway::k8s
