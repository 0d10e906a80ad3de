// SPDX-License-Identifier: Apache-2.0

// Debian's prometheus (2.42) on a free loopback port, and the writing of samples into it.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "http/client.h"
#include "promql/engine/series.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {

/// Query parameters, as form values.
using Parameters = std::vector<std::pair<std::string, std::string>>;

class PrometheusServer {
 public:
  static bool installed() { return std::system("command -v prometheus >/dev/null 2>&1") == 0; }

  /// Starts a server with a configuration (which may scrape) and flags beside the usual, and waits until it
  /// is ready.
  explicit PrometheusServer(const std::string& configuration = "global: {}\n",
                            std::vector<std::string> more_flags = {})
      : more_flags_(std::move(more_flags)) {
    auto client = http::Client::create({.system_cas = false, .proxy_environment = false});
    if (!client) throw std::runtime_error(client.error().message);
    client_ = *std::move(client);
    folder_.write("prometheus.yml", configuration);
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (start()) return;
    }
    throw std::runtime_error("prometheus does not start: " + log());
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string log() const { return read_file(folder_ / "log").value_or(""); }
  Process& process() { return *process_; }

  /// Safe from several threads; connections are kept.
  http::Reply get(const std::string& path, const Parameters& parameters = {}) {
    std::string query;
    for (const auto& [name, value] : parameters)
      query += (query.empty() ? "" : "&") + name + "=" + http::percent_encode(value);
    http::Call call = call_of("GET", path);
    call.url.query = std::move(query);
    return send(call);
  }

  /// Writes the points of series, stale markers as they are, in the order of time: the server refuses a
  /// sample that is an hour older than another. Series become known to it in the order given.
  void write(const std::vector<promql::Series>& series) {
    constexpr promql::Timestamp batch = 10 * 60'000;
    promql::Timestamp first = INT64_MAX, last = INT64_MIN;
    for (const promql::Series& one : series) {
      if (one.points.empty()) continue;
      first = std::min(first, one.points.front().time);
      last = std::max(last, one.points.back().time);
    }
    for (promql::Timestamp from = first; from <= last; from += batch) write(series, from, from + batch);
  }

 private:
  bool start() {
    port_ = free_loopback_port();
    auto flags = std::vector<std::string>{"prometheus",
                                          "--config.file=" + (folder_ / "prometheus.yml").string(),
                                          "--storage.tsdb.path=" + (folder_ / "data").string(),
                                          "--web.listen-address=127.0.0.1:" + std::to_string(port_),
                                          "--web.enable-remote-write-receiver",
                                          "--log.level=warn"};
    flags.insert(flags.end(), more_flags_.begin(), more_flags_.end());
    process_ = std::make_unique<Process>(flags, (folder_ / "log").string());
    const auto deadline = Clock::system().steady() + std::chrono::seconds(30);
    while (process_->running() && Clock::system().steady() < deadline) {
      if (const auto reply = client_->send(call_of("GET", "/-/ready")); reply && reply->status == 200)
        return true;
      Clock::system().wait_until(Clock::system().steady() + std::chrono::milliseconds(20), {});
    }
    return false;
  }

  http::Call call_of(const std::string& method, const std::string& path) const {
    http::Call call;
    call.method = method;
    call.url = *http::Url::parse(url() + path);
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(120);
    return call;
  }
  http::Reply send(const http::Call& call) {
    auto reply = client_->send(call);
    if (!reply) throw std::runtime_error(reply.error().message + "\n" + log());
    return *std::move(reply);
  }

  // Remote write: a protocol buffer (WriteRequest) in Snappy's block format.

  static void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  static void append_message(std::string& out, int field, std::string_view bytes) {
    append_varint(out, static_cast<std::uint64_t>(field) << 3 | 2);
    append_varint(out, bytes.size());
    out += bytes;
  }
  static std::string sample_message(const promql::Point& point) {
    std::string out = "\x09";  // field 1, 64 bits
    for (int i = 0; i < 8; ++i)
      out += static_cast<char>(std::bit_cast<std::uint64_t>(point.value) >> (8 * i));
    out += '\x10';  // field 2, varint
    append_varint(out, static_cast<std::uint64_t>(point.time));
    return out;
  }
  /// Encodes bytes as Snappy without compression: literals of up to 65,536 bytes.
  static std::string snappy(std::string_view bytes) {
    std::string out;
    append_varint(out, bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 65'536) {
      const std::string_view piece = bytes.substr(at, 65'536);
      out += static_cast<char>(61 << 2);
      out += static_cast<char>((piece.size() - 1) & 0xFF);
      out += static_cast<char>((piece.size() - 1) >> 8);
      out += piece;
    }
    return out;
  }
  void write(const std::vector<promql::Series>& series, promql::Timestamp from, promql::Timestamp to) {
    std::string request;
    for (const promql::Series& one : series) {
      std::string message;
      for (const auto& [name, value] : one.labels->labels()) {
        std::string label;
        append_message(label, 1, name);
        append_message(label, 2, value);
        append_message(message, 1, label);
      }
      const std::size_t without_samples = message.size();
      for (const promql::Point& point : one.points) {
        if (point.time >= from && point.time < to) append_message(message, 2, sample_message(point));
      }
      if (message.size() > without_samples) append_message(request, 1, message);
    }
    if (request.empty()) return;
    http::Call call = call_of("POST", "/api/v1/write");
    call.headers = {{"Content-Encoding", "snappy"},
                    {"Content-Type", "application/x-protobuf"},
                    {"X-Prometheus-Remote-Write-Version", "0.1.0"}};
    call.body = snappy(request);
    const http::Reply reply = send(call);
    if (reply.status != 204)
      throw std::runtime_error("prometheus does not take samples: " + std::to_string(reply.status) + " " +
                               reply.body);
  }

  std::vector<std::string> more_flags_;
  TempDirectory folder_;
  int port_ = 0;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<Process> process_;
};

}  // namespace fairway::testing
