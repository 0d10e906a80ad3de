// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/peers/peers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/parallel.h"
#include "base/text.h"
#include "http/dial.h"
#include "updateservice/internal/guarded.h"
#include "updateservice/internal/peers/narrowest.h"
#include "updateservice/internal/peers/peer_endpoint.h"
#include "updateservice/internal/peers/peer_token.h"

namespace fairway::updateservice {
namespace {

using Kind = PeerReply::Kind;

/// Most addresses, more than anybody runs replicas: a name with thousands of addresses is not ours.
constexpr std::size_t most_addresses = 64;
/// Most requests at once, each of which may hold an answer in memory.
constexpr int asked_at_once = 4;
constexpr std::chrono::minutes longest_build{2};

/// Parses HOST:PORT, with an IPv6 address in brackets.
Result<http::Url> read_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  auto url = http::Url::parse("http://" + text);
  const bool is_name = url && colon != std::string::npos && !url->host.empty() && url->port != 0 &&
                       text.substr(colon + 1) == std::to_string(url->port) && url->userinfo.empty();
  if (is_name) return url;
  return fail(ErrorCode::invalid,
              "reading --peers: '" + printable(text) + "' is not HOST:PORT, like fairway-peers:9081");
}

}  // namespace

bool may_begin(const std::vector<PeerReply>& replies, bool first_start) {
  return first_start && std::ranges::none_of(replies, [](const PeerReply& reply) {
           return reply.kind == Kind::holds || reply.kind == Kind::not_usable;
         });
}

std::string describe(const std::vector<PeerReply>& replies) {
  std::vector<std::string> texts;
  for (const PeerReply& reply : replies) {
    if (reply.kind == Kind::itself) continue;
    texts.push_back(reply.address + (reply.kind == Kind::holds        ? " holds a graph"
                                     : reply.kind == Kind::holds_none ? " has none either"
                                                                      : ": " + printable(reply.why, 300)));
  }
  return texts.empty() ? "the names of --peers lead to this replica alone" : join(texts, "; ");
}

Result<std::unique_ptr<Peers>> Peers::create(const PeerOptions& options, std::string instance,
                                             std::string problem_url, Clock& clock) {
  auto peers = std::unique_ptr<Peers>(new Peers(options, std::move(instance), std::move(problem_url), clock));
  for (const std::string& text : options.peers) {
    const auto url = read_name(text);
    if (!url) return fail(url.error());
    peers->names_.push_back({url->host, url->port});
  }
  if (auto token = read_peer_token(options.token_file); !token) return fail(token.error());
  auto client = http::Client::create({.system_cas = false,
                                      .shared_key = key_of_peers(options.token_file),
                                      .proxy_environment = false,
                                      .max_idle_connections_per_host = 0,
                                      .clock = &clock});
  if (!client) return fail(client.error());
  peers->client_ = std::move(*client);
  return peers;
}

std::vector<PeerReply> Peers::ask(const std::stop_token& stop) const {
  std::vector<PeerReply> replies;
  std::vector<Name> addresses;
  for (const Name& name : names_) {
    const Limits limits = Limits::within(clock_, options_.answer_limit, stop);
    const http::SocketWait sockets(limits, clock_);
    const auto found = http::addresses_of(name.host, options_.answer_limit, sockets);
    if (!found) {
      replies.push_back({.kind = Kind::unreachable,
                         .address = name.host + ":" + std::to_string(name.port),
                         .why = found.error().message});
      continue;
    }
    for (const std::string& host : *found) {
      const Name address{host, name.port};
      if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
    }
  }
  if (addresses.size() > most_addresses) {
    replies.push_back({.kind = Kind::not_usable,
                       .address = "--peers",
                       .why = "leads to " + std::to_string(addresses.size()) + " addresses; at most " +
                              std::to_string(most_addresses) + " are asked"});
    addresses.clear();
  }
  std::vector<PeerReply> asked(addresses.size());
  parallel_for(addresses.size(), asked_at_once, [&](std::size_t i) {
    // Of its own each: one that is slow takes nothing from those after it.
    const Limits limits = Limits::within(clock_, options_.answer_limit, stop);
    asked[i] = ask_one(addresses[i].host, addresses[i].port, limits);
  });
  std::ranges::move(asked, std::back_inserter(replies));
  return replies;
}

PeerReply Peers::ask_one(const std::string& host, std::uint16_t port, const Limits& limits) const {
  http::Call call;
  call.url.scheme = "https";
  call.url.host = host;
  call.url.port = port;
  call.url.path = held_path;
  call.limits = limits;
  call.max_body_bytes = max_peer_answer;
  PeerReply reply{.kind = Kind::unreachable, .address = call.url.authority()};
  // Something is there, whether or not it has the token.
  call.on_reached = [&reply] { reply.kind = Kind::not_usable; };
  auto answered = guarded("asking " + reply.address, [&]() -> Result<PeerAnswer> {
    auto got = client_->send(call);
    if (!got && got.error().code == ErrorCode::unauthenticated)
      return fail(ErrorCode::unauthenticated, "it has another --peer-token-file");
    if (!got) return fail(std::move(got.error()));
    if (got->status != 200) return fail(ErrorCode::unavailable, "status " + std::to_string(got->status));
    return unpack_answer(got->body);
  });
  if (!answered) {
    reply.why = std::move(answered.error().message);
    return reply;
  }
  if (answered->instance == instance_) {
    reply.kind = Kind::itself;
  } else if (answered->inputs) {
    reply.kind = Kind::holds;
    reply.inputs = std::move(answered->inputs);
  } else {
    reply.kind = Kind::holds_none;
  }
  return reply;
}

PeerMemory Peers::remember(const std::stop_token& stop) const {
  std::vector<PeerReply> replies = ask(stop);
  PeerMemory memory{.may_begin = may_begin(replies, options_.first_start), .why = describe(replies)};
  std::vector<std::shared_ptr<const BuiltInputs>> held;
  for (PeerReply& reply : replies) {
    if (reply.kind == Kind::holds) held.push_back(std::move(reply.inputs));
  }
  if (held.empty()) return memory;
  const Limits limits = Limits::within(clock_, longest_build, stop);
  auto build = guarded("putting together what other replicas hold",
                       [&] { return narrowest(held, problem_url_, limits, clock_); });
  if (!build) {
    memory.why += "; " + build.error().message;
    return memory;
  }
  memory.inputs = std::move(build->inputs);
  memory.snapshot = std::move(build->snapshot);
  return memory;
}

}  // namespace fairway::updateservice
