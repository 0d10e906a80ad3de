// SPDX-License-Identifier: Apache-2.0

// Tells an object that cannot be written from a server or a webhook that does not answer.
#pragma once

#include <string>

#include "kube/client/api_error.h"

namespace fairway::conversion {

/// The cause of an error of a read or a write.
enum class Fault {
  /// The object: its conversion, its validation, admission.
  object,
  /// The request as such, which will fail for every object: no right, a version that is not served.
  request,
  /// A webhook or an API server that cannot be reached: it passes.
  outage,
  /// Either the object or an outage: a webhook that answers too late, with an error of HTTP, or not to the
  /// end. It is an outage if no object fares better.
  perhaps_outage,
};

/// Returns what an error is about. API servers tell an unreachable webhook from one that refuses an object
/// only in the message, whose wording is that of Kubernetes.
Fault fault_of(const kube::ApiError& error);

/// Returns whether a read that fails so is to be repeated once the outage is over: no object makes the API
/// server itself refuse to read.
bool is_outage_of_reads(const kube::ApiError& error);

/// Returns whether admission has denied the request, whatever the code. Kubernetes puts that before the
/// message of a webhook.
bool is_denial(const kube::ApiError& error);

/// Returns the error as it is told: the server's message, or the error of the request.
std::string text_of(const kube::ApiError& error);

}  // namespace fairway::conversion
