// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/admin_key.h"

#include <string_view>
#include <system_error>
#include <utility>

#include "apiserver/internal/server/authority.h"
#include "http/rsa_key.h"

namespace fairway::apiserver::server {
namespace {

constexpr std::string_view doing = "the administrator's key", key_name = "admin.key";

/// Begins to make a key on another thread. Where none can be made, it is made by whoever asks for it.
std::future<Result<std::string>> begin_key() {
  try {
    return std::async(std::launch::async, &http::make_rsa_key);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, &http::make_rsa_key);
  }
}

}  // namespace

Result<AdminKey> AdminKey::begin(storage::Storage& storage, KeyType type) {
  AdminKey key(storage);
  if (type == KeyType::ec) return key;
  auto stored = storage.value(key_name);
  if (!stored) return fail(stored.error().within(doing));
  if (*stored) {
    key.stored_ = **std::move(stored);
  } else {
    key.made_ = begin_key();
  }
  return key;
}

Result<http::KeyedCertificate> AdminKey::certificate(const http::KeyedCertificate& authority) {
  if (made_.valid()) {
    auto made = made_.get();
    if (!made) return fail(made.error().within(doing));
    if (auto kept = storage_->set_value(key_name, *made); !kept) return fail(kept.error().within(doing));
    stored_ = *std::move(made);
  }
  return issue_for_client(authority, "kubernetes-admin", {"system:masters"}, stored_);
}

}  // namespace fairway::apiserver::server
