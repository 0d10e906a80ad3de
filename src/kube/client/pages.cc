// SPDX-License-Identifier: Apache-2.0

#include "kube/client/pages.h"

#include <iterator>

namespace fairway::kube {

ApiResult<ObjectList> list_all(Client& client, const k8s::GroupVersionResource& resource,
                               std::string_view namespace_name, ListOptions options, const Limits& limits) {
  if (options.limit <= 0) options.limit = page_size;
  ObjectList whole;
  while (true) {
    auto page = client.list(resource, namespace_name, options, limits);
    if (!page) {
      if (!page.error().is_expired() || options.continue_token.empty()) return page;
      options.limit = 0;
      options.continue_token.clear();
      return client.list(resource, namespace_name, options, limits);
    }
    whole.items.insert(whole.items.end(), std::make_move_iterator(page->items.begin()),
                       std::make_move_iterator(page->items.end()));
    whole.resource_version = std::move(page->resource_version);
    if (page->continue_token.empty()) return whole;
    options.continue_token = std::move(page->continue_token);
  }
}

ApiResult<void> for_each_page(Client& client, const k8s::GroupVersionResource& resource,
                              std::string_view namespace_name, ListOptions options, OnExpired on_expired,
                              const std::function<Result<void>(ObjectList page)>& on_page,
                              const Limits& limits, std::chrono::nanoseconds page_timeout) {
  if (options.limit <= 0) options.limit = page_size;
  bool resumed = false;
  while (true) {
    auto page = client.list(resource, namespace_name, options, limits.at_most(client.clock(), page_timeout));
    if (!page) {
      const std::string token(page.error().status.continue_token());
      const bool may_resume = page.error().is_expired() && on_expired == OnExpired::resume && !token.empty();
      // A token that has just been given cannot have expired: once in a row is enough.
      if (!may_resume || resumed) return std::unexpected(page.error());
      options.continue_token = token;
      resumed = true;
      continue;
    }
    resumed = false;
    std::string next = page->continue_token;
    if (auto taken = on_page(*std::move(page)); !taken) return std::unexpected(ApiError(taken.error()));
    if (next.empty()) return {};
    options.continue_token = std::move(next);
  }
}

}  // namespace fairway::kube
