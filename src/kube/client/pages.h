// Long lists, page by page.
#pragma once

#include <functional>
#include <string_view>

#include "kube/client/client.h"

namespace fairway::kube {

/// What client-go asks for at a time.
inline constexpr std::int64_t page_size = 500;

/// The whole list, fetched in pages (`options.limit`, or `page_size`). Where the server has forgotten the
/// list on the way (410), it is fetched anew in one piece, as client-go does. `limits` bound each request.
ApiResult<ObjectList> list_all(Client& client, const k8s::GroupVersionResource& resource,
                               std::string_view namespace_name, ListOptions options = {},
                               const Limits& limits = {});

/// What to do when the server has forgotten the list on the way (410).
enum class OnExpired {
  fail,
  /// Go on behind the last object that was seen, in the newest state: what was written meanwhile may be
  /// missing or in another state than what came before. Every object that was there all the time is seen
  /// once.
  go_on
};

/// Hands on one page after the other, so that no more than one is held. An error of `on_page` ends it. Starts
/// at `options.continue_token` where there is one.
ApiResult<void> for_each_page(Client& client, const k8s::GroupVersionResource& resource,
                              std::string_view namespace_name, ListOptions options, OnExpired on_expired,
                              const std::function<Result<void>(ObjectList page)>& on_page,
                              const Limits& limits = {});

}  // namespace fairway::kube
