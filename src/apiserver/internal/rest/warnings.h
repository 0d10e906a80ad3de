// SPDX-License-Identifier: Apache-2.0

// Warnings for clients, as headers.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"

namespace fairway::apiserver::rest {

/// Adds a `Warning` header for each text, once: `299 - "TEXT"`. If they have more than 4,096 characters in
/// all, each text is cut after 256 characters, and those after the first 4,096 are left out. Texts that no
/// header can hold are left out, too. Unlike in Kubernetes, at most 80 are sent: Python's client refuses a
/// reply of more than 100 headers.
/// Rules: k8s.io/apiserver/pkg/endpoints/filters/warning.go.
void add_warnings(http::Response& response, const std::vector<std::string>& warnings);

}  // namespace fairway::apiserver::rest
