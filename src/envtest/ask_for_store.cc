// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <string>

#include "base/digest.h"
#include "base/json.h"
#include "envtest/internal/store_folder.h"
#include "envtest/stand_in_etcd.h"
#include "http/client.h"

namespace fairway::envtest {
namespace {

constexpr std::chrono::milliseconds between_attempts{50};

std::unexpected<Error> other_server(const std::string& url, std::string_view why) {
  return fail(
      ErrorCode::unsupported,
      "asking the etcd at " + url + " for its store: " + std::string(why) +
          "; start the etcd of the folder that `fairway envtest` prints, or take a real kube-apiserver");
}

Result<Store> read_store(const std::string& url, const http::Reply& reply, const std::string& challenge) {
  const auto document = json::parse(reply.body);
  const auto folder = document ? json::find_string(*document, "folder") : std::nullopt;
  if (reply.status != 200 || !folder) {
    return other_server(url,
                        "it is a real etcd, or another server, which this kube-apiserver cannot store in");
  }
  // Any process may listen there: what it names is stored in only if it can read a secret of this user.
  const auto opened = open_store_folder(std::string(*folder));
  if (!opened) return other_server(url, opened.error().message);
  if (!same_secret(json::find_string(*document, "answer").value_or(""), answer_to(challenge, *opened))) {
    return other_server(url, "it names the folder " + opened->path.string() + ", and does not know its mark");
  }
  const json::Value* durable = json::find(*document, "durable");
  return Store{.folder = opened->path, .durable = durable == nullptr || *durable != json::Value(false)};
}

}  // namespace

Result<Store> store_of(const std::string& url, const Limits& limits) {
  auto target = http::Url::parse(url);
  if (!target || target->scheme != "http") return other_server(url, "its URL is no http://HOST:PORT");
  target->path = store_path;
  const auto client = http::Client::create({.proxy_environment = false});
  if (!client) return fail(client.error());
  const auto challenge = make_secret();
  if (!challenge) return fail(challenge.error());
  Clock& clock = Clock::system();
  while (true) {
    const auto reply =
        (*client)->send({.url = *target, .headers = {{challenge_header, *challenge}}, .limits = limits});
    if (reply) return read_store(url, *reply, *challenge);
    if (reply.error().code != ErrorCode::unavailable) {
      return fail(reply.error().within("asking the etcd for its store"));
    }
    if (clock.steady() + between_attempts >= limits.deadline ||
        !clock.wait_until(clock.steady() + between_attempts, limits.stop)) {
      return fail(reply.error().within("asking the etcd for its store"));
    }
  }
}

}  // namespace fairway::envtest
