// Warnings for clients, as headers.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"

namespace fairway::apiserver {

/// Adds a `Warning` header for each text, once: `299 - "TEXT"`. Beyond 4,096 characters in all each text is
/// cut after 256 of them, and what comes after those 4,096 is left out; so are texts that no header can hold.
/// Rules: k8s.io/apiserver/pkg/endpoints/filters/warning.go. Other than there, no more than 80 are sent:
/// Python's client refuses a reply of more than 100 headers.
void add_warnings(http::Response& response, const std::vector<std::string>& warnings);

}  // namespace fairway::apiserver
