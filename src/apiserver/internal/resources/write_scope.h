// SPDX-License-Identifier: Apache-2.0

// The part of the server that the rules of a kind see, beyond the object that is written.
#pragma once

#include "apiserver/internal/resources/service_addresses.h"
#include "apiserver/internal/storage/storage.h"
#include "base/random.h"

namespace fairway::apiserver::resources {

/// The server's side of one write.
struct WriteScope {
  storage::Storage& storage;
  ServiceAddresses& services;
  const Random& random;
  bool dry_run = false;
};

}  // namespace fairway::apiserver::resources
