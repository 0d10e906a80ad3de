// SPDX-License-Identifier: Apache-2.0

// A clock that tests of clients advance: `/fairway/clock` (docs/testing-faults.md).
#pragma once

#include "base/clock.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Answers a request for `/fairway/clock`: GET says what time it is, and POST advances it by
/// `{"advance": "10m"}`. Errors (400): the body is not understood.
k8s::StatusResult<http::Response> answer_test_clock(FakeClock& clock, const http::Request& request);

}  // namespace fairway::apiserver::rest
