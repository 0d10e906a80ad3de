// SPDX-License-Identifier: Apache-2.0

// Paginated lists.
#pragma once

#include <functional>
#include <string_view>

#include "kube/client/client.h"

namespace fairway::kube {

/// client-go's default page size.
inline constexpr std::int64_t page_size = 500;

/// Returns the whole list, fetched in pages (`options.limit`, or `page_size`). If the continue token expires
/// (410), the list is fetched again without pagination, as in client-go. `limits` apply to the whole.
ApiResult<ObjectList> list_all(Client& client, const k8s::GroupVersionResource& resource,
                               std::string_view namespace_name, ListOptions options = {},
                               const Limits& limits = {});

/// Behaviour if the continue token expires (410).
enum class OnExpired {
  fail,
  /// Continue after the last delivered object, at the latest resourceVersion: objects written
  /// meanwhile may be missing, or newer than those before. Every object that exists throughout is
  /// delivered once.
  resume,
};

/// Delivers the pages one by one, holding only one in memory. An error of `on_page` ends the call. Starts at
/// `options.continue_token` if set. `limits` apply to the whole, `page_timeout` to each request.
ApiResult<void> for_each_page(Client& client, const k8s::GroupVersionResource& resource,
                              std::string_view namespace_name, ListOptions options, OnExpired on_expired,
                              const std::function<Result<void>(ObjectList page)>& on_page,
                              const Limits& limits = {},
                              std::chrono::nanoseconds page_timeout = default_call_timeout);

}  // namespace fairway::kube
