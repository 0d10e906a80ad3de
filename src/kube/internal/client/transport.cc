// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/transport.h"

#include "base/log.h"
#include "base/log_level.h"
#include "base/text.h"
#include "http/retry_after.h"

namespace fairway::kube {

namespace {

/// Returns the text of a `Warning: 299 - "text"` header; empty for another form.
std::string warning_text(std::string_view header) {
  if (!header.starts_with("299 ")) return "";
  const std::size_t open = header.find('"');
  if (open == std::string_view::npos) return "";
  std::string text;
  for (std::size_t at = open + 1; at < header.size() && header[at] != '"'; ++at) {
    if (header[at] == '\\' && at + 1 < header.size()) ++at;
    text += header[at];
  }
  return text;
}

}  // namespace

Transport::Transport(ClientConfig config, ClientSettings settings, http::Url base)
    : config_(std::move(config)),
      settings_(std::move(settings)),
      clock_(settings_.clock != nullptr ? *settings_.clock : Clock::system()),
      base_(std::move(base)),
      credentials_(config_, clock_) {
  if (settings_.rate_limit) {
    rate_limiter_ =
        std::make_unique<RateLimiter>(*settings_.rate_limit, clock_, settings_.registry, base_.authority());
  }
}

Result<std::unique_ptr<Transport>> Transport::create(ClientConfig config, ClientSettings settings) {
  if (const auto& limit = settings.rate_limit; limit && !(limit->qps > 0 && limit->burst >= 1)) {
    return fail(
        ErrorCode::invalid,
        "the client's rate limit: qps must be above 0, and burst at least 1; leave it out for no limit");
  }
  const bool has_scheme = config.server.find("://") != std::string::npos;
  auto base = http::Url::parse(has_scheme ? config.server : "https://" + config.server);
  if (!base) return fail(base.error().within(config.cluster_origin + ": server"));
  base->path = http::clean_path(base->path);
  if (base->path == "/") base->path.clear();
  std::unique_ptr<Transport> transport(
      new Transport(std::move(config), std::move(settings), *std::move(base)));
  // Files that cannot be used are an error at once. What a program gives is asked for when it is needed.
  if (auto client = transport->client_for({}); !client) return fail(client.error());
  return transport;
}

http::ClientOptions Transport::options_for(const Credentials::Current& who) const {
  http::ClientOptions options;
  if (!config_.ca.empty()) {
    options.ca_texts.emplace_back(config_.ca, config_.cluster_origin + ": certificate-authority-data");
  }
  if (!config_.ca_file.empty()) options.ca_files.push_back(config_.ca_file);
  options.system_cas = config_.ca.empty() && config_.ca_file.empty();
  options.insecure_skip_verify = config_.insecure_skip_tls_verify;
  options.tls_server_name = config_.tls_server_name;
  options.proxy = config_.proxy_url;
  options.user_agent = settings_.user_agent;
  options.max_idle_connections_per_host = settings_.max_idle_connections;
  options.http2 = settings_.http2;
  options.clock = &clock_;
  options.certificate = who.certificate.empty() ? config_.certificate : who.certificate;
  options.key = who.key.empty() ? config_.key : who.key;
  if (options.certificate.empty()) {
    options.certificate_file = config_.certificate_file;
    options.key_file = config_.key_file;
  }
  return options;
}

Result<std::shared_ptr<http::Client>> Transport::client_for(const Credentials::Current& who) {
  const std::lock_guard lock(mutex_);
  if (client_ && client_certificate_ == who.certificate) return client_;
  auto client = http::Client::create(options_for(who));
  if (!client) return fail(client.error().within("preparing to speak to " + base_.to_string()));
  client_ = *std::move(client);
  client_certificate_ = who.certificate;
  return client_;
}

http::Headers Transport::headers_for(const ApiRequest& request, const Credentials::Current& who) const {
  http::Headers headers;
  headers.add("Accept", request.accept);
  if (!request.content_type.empty()) headers.add("Content-Type", request.content_type);
  if (!who.authorization.empty()) headers.add("Authorization", who.authorization);
  const Impersonation& as = config_.impersonate;
  if (!as.user.empty()) headers.add("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.add("Impersonate-Uid", as.uid);
  for (const std::string& group : as.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values)
      headers.add("Impersonate-Extra-" + http::percent_encode(key), value);
  }
  return headers;
}

void Transport::report_warnings(const http::Headers& headers) const {
  for (const std::string_view header : headers.find_all("Warning")) {
    const std::string text = warning_text(header);
    if (text.empty()) continue;
    if (settings_.on_warning) {
      settings_.on_warning(text);
    } else {
      log::warning("the API server warns", {{"warning", printable(text, 1000)}});
    }
  }
}

void Transport::count(const std::string& method, const std::string& code) const {
  if (settings_.registry == nullptr) return;
  settings_.registry
      ->counter("rest_client_requests_total",
                "Number of HTTP requests, partitioned by status code, method, and host.",
                {{"code", code}, {"method", method}, {"host", base_.authority()}})
      .add();
}

void Transport::log_request(const ApiRequest& request, const Result<http::Reply>& reply,
                            SteadyTime::duration took) const {
  // Never headers, bodies or values of the query, which may be secret.
  const bool is_watch = request.method == "GET" && ("&" + request.query + "&").contains("&watch=true&");
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  const std::string verb = is_watch ? "WATCH" : request.method;
  if (reply) {
    log::debug(
        "request to the API server",
        {{"verb", verb}, {"path", request.path}, {"code", reply->status}, {"milliseconds", milliseconds}});
  } else {
    log::debug("request to the API server failed", {{"verb", verb},
                                                    {"path", request.path},
                                                    {"error", reply.error().message},
                                                    {"milliseconds", milliseconds}});
  }
}

Result<http::Reply> Transport::send(const ApiRequest& request, const Limits& limits,
                                    const std::function<Result<void>()>& may_send, Throttle throttle) {
  const Limits within = limits.has_deadline() ? limits : limits.at_most(clock_, default_call_timeout);
  http::Call call;
  call.method = request.method;
  call.url = base_;
  call.url.path += request.path;
  call.url.query = request.query;
  call.body = request.body;
  call.limits = within;
  call.max_body_bytes = request.max_body_bytes.value_or(settings_.max_reply_bytes);
  call.on_body = request.on_body;
  call.accept_gzip = !request.on_body;
  bool retried_once = false;
  for (int retries = 0;; ++retries) {
    if (rate_limiter_ && throttle == Throttle::yes) {
      if (auto waited = rate_limiter_->wait(request.method, within); !waited) return fail(waited.error());
    }
    const auto who = credentials_.current(within);
    if (!who) return fail(who.error());
    const auto client = client_for(*who);
    if (!client) return fail(client.error());
    call.headers = headers_for(request, *who);
    if (may_send) {
      if (auto may = may_send(); !may) return fail(may.error());
    }
    const SteadyTime start = clock_.steady();
    auto reply = (*client)->send(call);
    if (log::is_enabled(log::Level::debug)) log_request(request, reply, clock_.steady() - start);
    count(request.method, reply ? std::to_string(reply->status) : "<error>");
    if (!reply) return reply;
    report_warnings(reply->headers);
    if (reply->status == 401 && !retried_once && credentials_.refused(who->version)) {
      retried_once = true;
      continue;
    }
    const bool busy = reply->status == 429 || reply->status >= 500;
    const auto wait = busy ? http::retry_after(reply->headers, clock_) : std::nullopt;
    if (!wait || retries >= settings_.max_retries) return reply;
    // Waiting beyond the deadline would lose the server's reply.
    if (*wait >= within.remaining(clock_)) return reply;
    clock_.wait_until(clock_.steady() + *wait, limits.stop);
    if (limits.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, request.method + " " + request.path + ": stopped");
    }
  }
}

}  // namespace fairway::kube
