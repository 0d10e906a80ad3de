// SPDX-License-Identifier: Apache-2.0

// Debian's docker-registry on a free loopback port, and the pushing of images into it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "http/client.h"
#include "oci/images.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {

class DockerRegistry {
 public:
  static bool installed() { return std::system("command -v docker-registry >/dev/null 2>&1") == 0; }

  DockerRegistry() {
    auto client = http::Client::create({.system_cas = false, .proxy_environment = false});
    if (!client) throw std::runtime_error(client.error().message);
    client_ = *std::move(client);
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (start()) return;
    }
    throw std::runtime_error("docker-registry does not start: " + log());
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Returns its output so far, the access log included.
  std::string log() const { return read_file(folder_ / "log").value_or(""); }

  void push_blob(const std::string& repository, const std::string& digest, const std::string& bytes) {
    const auto opened = send("POST", "/v2/" + repository + "/blobs/uploads/", "", "", 202);
    auto url = http::resolve(opened.url, opened.headers.find("Location").value());
    url->query += "&digest=" + http::percent_encode(digest);
    send("PUT", *url, bytes, "application/octet-stream", 201);
  }
  /// Pushes the manifest, children first; the blobs are there already.
  void push_manifest(const std::string& repository, const TestImage& image, const std::string& tag = "") {
    for (const auto& child : image.children) push_manifest(repository, child);
    send("PUT", "/v2/" + repository + "/manifests/" + (tag.empty() ? image.digest : tag), image.manifest,
         image.media_type, 201);
  }
  /// Pushes images by tag. Each blob goes up once: the registry loses one of two uploads of the same blob at
  /// once.
  void push(const std::string& repository, const std::map<std::string, TestImage>& images) {
    std::map<std::string, std::string> blobs;
    std::map<std::string, std::vector<std::string>> tags;  // by digest
    for (const auto& [tag, image] : images) {
      collect_blobs(image, blobs);
      tags[image.digest].push_back(tag);
    }
    in_parallel(blobs, [&](const auto& blob) { push_blob(repository, blob.first, blob.second); });
    in_parallel(tags, [&](const auto& entry) {
      for (const auto& tag : entry.second) push_manifest(repository, images.at(tag), tag);
    });
  }
  /// Removes a blob's bytes without the registry's knowledge.
  void lose_blob(const std::string& digest) {
    const auto hex = digest.substr(7);
    std::filesystem::remove(
        folder_ / ("data/docker/registry/v2/blobs/sha256/" + hex.substr(0, 2) + "/" + hex + "/data"));
  }
  /// Asks for something of that name and waits until the access log has it: earlier requests are in it then.
  void wait_for_log(const std::string& marker) {
    send("GET", "/v2/" + marker + "/tags/list", "", "", 404);
    const auto deadline = Clock::system().steady() + std::chrono::seconds(10);
    while (log().find("/v2/" + marker + "/tags/list HTTP/1.1\"") == std::string::npos) {
      if (Clock::system().steady() > deadline) throw std::runtime_error("the access log does not go on");
      Clock::system().wait_until(Clock::system().steady() + std::chrono::milliseconds(5), {});
    }
  }

 private:
  bool start() {
    port_ = free_loopback_port();
    const auto config =
        folder_.write("config.yml",
                      "version: 0.1\nlog:\n  accesslog:\n    disabled: false\n  level: warn\n"
                      "storage:\n  filesystem:\n    rootdirectory: " +
                          (folder_ / "data").string() + "\nhttp:\n  addr: " + address() + "\n");
    process_ = std::make_unique<Process>(
        std::vector<std::string>{"docker-registry", "serve", config.string()}, (folder_ / "log").string());
    const auto deadline = Clock::system().steady() + std::chrono::seconds(20);
    while (process_->running() && Clock::system().steady() < deadline) {
      auto call = call_of("GET", *http::Url::parse("http://" + address() + "/v2/"));
      if (const auto reply = client_->send(call); reply && reply->status == 200) return true;
      Clock::system().wait_until(Clock::system().steady() + std::chrono::milliseconds(20), {});
    }
    return false;
  }

  static void collect_blobs(const TestImage& image, std::map<std::string, std::string>& blobs) {
    blobs.insert(image.blobs.begin(), image.blobs.end());
    for (const auto& child : image.children) collect_blobs(child, blobs);
  }

  template <class Items, class Work>
  static void in_parallel(const Items& items, Work work) {
    std::vector<const typename Items::value_type*> list;
    for (const auto& item : items) list.push_back(&item);
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (auto n = next++; n < list.size(); n = next++) work(*list[n]);
      });
    }
  }

  static http::Call call_of(const std::string& method, http::Url url) {
    http::Call call;
    call.method = method;
    call.url = std::move(url);
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(30);
    return call;
  }
  http::Reply send(const std::string& method, const std::string& path, const std::string& body,
                   const std::string& type, int expected) {
    return send(method, *http::Url::parse("http://" + address() + path), body, type, expected);
  }
  http::Reply send(const std::string& method, const http::Url& url, const std::string& body,
                   const std::string& type, int expected) {
    auto call = call_of(method, url);
    call.body = body;
    if (!type.empty()) call.headers.set("Content-Type", type);
    auto reply = client_->send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    if (reply->status != expected) {
      throw std::runtime_error(method + " " + url.to_string() + ": " + std::to_string(reply->status) + " " +
                               reply->body);
    }
    return *std::move(reply);
  }

  TempDirectory folder_;
  int port_ = 0;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<Process> process_;
};

}  // namespace fairway::testing
