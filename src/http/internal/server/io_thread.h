// SPDX-License-Identifier: Apache-2.0

// The system settings of a thread that serves connections.
#pragma once

namespace fairway::http {

/// Prepares the calling thread to serve connections: writing to a peer that is gone is an error and no signal
/// (sendfile has no flag for that), and the thread asks for short slices of time, so that it gets a core as
/// soon as something has come in although longer work runs there (Linux 6.12 and later; before that nothing
/// changes).
void prepare_io_thread();

}  // namespace fairway::http
