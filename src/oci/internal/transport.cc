#include "oci/internal/transport.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "base/text.h"

namespace fairway::oci {

namespace {

using std::chrono::milliseconds;
constexpr milliseconds longest_backoff{30'000};

bool is_worth_a_retry(int status) {
  return status == 429 || status >= 500;
}

}  // namespace

milliseconds retry_delay(int attempt, milliseconds backoff, double random, milliseconds asked) {
  milliseconds delay = std::min(backoff, longest_backoff);
  for (int i = 0; i < attempt && delay < longest_backoff; ++i) delay = std::min(delay * 2, longest_backoff);
  const auto jittered =
      milliseconds(static_cast<milliseconds::rep>(static_cast<double>(delay.count()) * (0.5 + random / 2)));
  return std::max(jittered, asked);
}

milliseconds parse_retry_after(std::string_view value, WallTime now) {
  const auto text = trim(value);
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc{} && end == text.data() + text.size()) return std::chrono::seconds(seconds);
  std::tm date{};
  const std::string copy(text);
  const char* rest = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (rest == nullptr || *rest != '\0') return milliseconds{0};
  const auto wait =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::from_time_t(timegm(&date)) - now);
  return std::max(wait, milliseconds{0});
}

Result<std::unique_ptr<Transport>> Transport::create(const TransportOptions& options) {
  auto client = http::Client::create(
      {.ca_files = options.ca_files,
       .max_idle_connections_per_host = static_cast<std::size_t>(std::max(options.concurrency, 1))});
  if (!client) return fail(client.error());
  return std::unique_ptr<Transport>(new Transport(*std::move(client), options));
}

Transport::Transport(std::unique_ptr<http::Client> client, const TransportOptions& options)
    : client_(std::move(client)),
      options_(options),
      free_(std::max(options.concurrency, 1)),
      random_(std::random_device{}()) {}

Result<void> Transport::acquire(const http::Call& call) {
  std::unique_lock lock(mutex_);
  if (free_again_.wait_until(lock, call.stop, call.deadline, [this] { return free_ > 0; })) {
    --free_;
    return {};
  }
  if (call.stop.stop_requested()) return fail(ErrorCode::cancelled, call.url.to_string() + ": stopped");
  return fail(ErrorCode::deadline_exceeded,
              call.url.to_string() + ": the deadline passed before its turn came");
}

void Transport::release() {
  {
    const std::lock_guard lock(mutex_);
    ++free_;
  }
  free_again_.notify_one();
}

double Transport::random() {
  const std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<double>()(random_);
}

Result<http::Reply> Transport::send_once(const http::Call& call) {
  if (auto turn = acquire(call); !turn) return fail(turn.error());
  ++requests_;
  auto reply = client_->send(call);
  release();
  if (!reply || is_worth_a_retry(reply->status)) ++errors_;
  // The client does not know how its callers are told of CAs.
  if (!reply && reply.error().message.ends_with("trusted CA file")) {
    return fail(reply.error().code, reply.error().message + " (--ca-file)");
  }
  return reply;
}

Result<http::Reply> Transport::send(const http::Call& given, const std::function<void()>& before_attempt) {
  http::Call call = given;
  bool refused_by_sink = false;
  if (given.on_body) {
    call.on_body = [&](std::string_view piece) -> Result<void> {
      auto taken = given.on_body(piece);
      refused_by_sink = refused_by_sink || !taken;
      return taken;
    };
  }
  for (int attempt = 0;; ++attempt) {
    if (before_attempt) before_attempt();
    auto reply = send_once(call);
    if (refused_by_sink || attempt >= options_.retries) return reply;
    if (reply ? !is_worth_a_retry(reply->status) : reply.error().code != ErrorCode::unavailable) return reply;
    milliseconds asked{0};
    if (reply) {
      if (const auto value = reply->headers.find("Retry-After")) {
        asked = parse_retry_after(*value, Clock::system().now());
      }
    }
    const auto until = Clock::system().steady() + retry_delay(attempt, options_.backoff, random(), asked);
    if (until >= call.deadline) return reply;  // what failed says more than "deadline"
    ++retries_;
    if (!Clock::system().wait_until(until, call.stop)) {
      return fail(ErrorCode::cancelled, call.url.to_string() + ": stopped");
    }
  }
}

}  // namespace fairway::oci
