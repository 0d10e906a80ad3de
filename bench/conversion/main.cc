// SPDX-License-Identifier: Apache-2.0

// Our webhook, and the driver of both sides.
//   bench_conversion serve CERTIFICATE KEY     serves /convert on a free port, which it prints
//   bench_conversion drive URL CA PID OBJECTS REQUESTS
//                                              posts reviews over one connection; prints microseconds of the
//                                              process's CPU an object, p50 and p99 in milliseconds, and its
//                                              peak RSS in MiB
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "conversion/webhook.h"
#include "http/client.h"

namespace {

using namespace fairway;

constexpr std::string_view group = "widgets.example.com";

namespace v1beta1 {
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{group, "v1beta1", "Widget", "widgets"};
  using Dynamic::Dynamic;
};
}  // namespace v1beta1
namespace v1 {
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{group, "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
};
}  // namespace v1

// The rival's types convert the same: size and replicas move into capacity.

Result<v1::Widget> upgrade(v1beta1::Widget older) {
  v1::Widget newer(older.release());
  const std::string size(newer.text("spec.size"));
  const std::int64_t replicas = newer.integer("spec.replicas");
  newer.erase("spec.size");
  newer.erase("spec.replicas");
  newer.set("spec.capacity.size", size);
  newer.set("spec.capacity.replicas", replicas);
  return newer;
}

Result<v1beta1::Widget> downgrade(v1::Widget newer) {
  v1beta1::Widget older(newer.release());
  const std::string size(older.text("spec.capacity.size"));
  const std::int64_t replicas = older.integer("spec.capacity.replicas");
  older.erase("spec.capacity");
  older.set("spec.size", size);
  older.set("spec.replicas", replicas);
  return older;
}

int failed(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  return 1;
}

int serve(const std::string& certificate, const std::string& key) {
  const auto converters = std::make_shared<conversion::Converters>();
  converters->kind(group, "Widget").step<v1beta1::Widget, v1::Widget>(upgrade, downgrade);
  if (auto ready = converters->prepare(); !ready) return failed(ready.error().message);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  metrics::Registry metrics;
  const auto handlers = conversion::webhook_handlers(converters, {}, metrics);
  http::TlsServerOptions tls;
  tls.certificate_file = certificate;
  tls.key_file = key;
  const auto server = webhook::listen(webhook::listen_options("127.0.0.1:0", tls, handlers), handlers);
  if (!server) return failed(server.error().message);
  std::printf("%s\n", (*server)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}

/// Returns an object of about 4.6 KB, as a server sends it.
json::Object make_object(int number) {
  k8s::Dynamic object;
  object.set("apiVersion", std::string(group) + "/v1beta1");
  object.set("kind", "Widget");
  object.set_name("widget-" + std::to_string(number));
  object.set_namespace_name("default");
  object.set("metadata.uid", "5e1f0c3a-0000-4000-8000-" + std::to_string(100'000'000'000 + number));
  object.set("metadata.resourceVersion", std::to_string(1'000'000 + number));
  object.set("metadata.generation", 3);
  object.set("metadata.creationTimestamp", "2026-02-19T23:09:12Z");
  for (const char* label : {"name", "instance", "component", "part-of"})
    object.set_label(std::string("app.kubernetes.io/") + label, std::string("widget-") + label);
  object.set_annotation("example.com/description", std::string(300, 'd'));
  k8s::Editor managed = object.append("metadata.managedFields");
  managed.set("manager", "kubectl-client-side-apply");
  managed.set("operation", "Update");
  managed.set("apiVersion", std::string(group) + "/v1beta1");
  managed.set("time", "2026-02-19T23:09:12Z");
  managed.set("fieldsType", "FieldsV1");
  for (int i = 0; i < 20; ++i)
    managed.object("fieldsV1").emplace("f:field" + std::to_string(i), json::Object{});
  object.set("spec.size", "M");
  object.set("spec.replicas", 3);
  for (int i = 0; i < 16; ++i) {
    k8s::Editor port = object.append("spec.ports");
    port.set("name", "port-" + std::to_string(i));
    port.set("port", 8000 + i);
    port.set("targetPort", 9000 + i);
    port.set("protocol", "TCP");
    port.set("description", "port number " + std::to_string(i) + " of this widget, for its metrics");
  }
  for (int i = 0; i < 10; ++i)
    object.set_entry("spec.settings", "setting-" + std::to_string(i),
                     "a value of some length " + std::to_string(i));
  for (const char* type : {"Ready", "Accepted", "Progressing"}) {
    k8s::Editor condition = object.append("status.conditions");
    condition.set("type", type);
    condition.set("status", "True");
    condition.set("reason", "AsExpected");
    condition.set("message", "everything is as it should be with this widget");
    condition.set("lastTransitionTime", "2026-02-19T23:09:12Z");
    condition.set("observedGeneration", 3);
  }
  return object.release();
}

/// Returns user and system time of a process so far, to the nanosecond if the system provides it (schedstat
/// of all threads).
double cpu_microseconds(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream text;
  text << stat.rdbuf();
  std::istringstream fields(text.str().substr(text.str().rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double peak_mib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

int drive(const std::string& url, const std::string& ca, int pid, int objects, int requests) {
  json::Array list;
  for (int i = 0; i < objects; ++i) list.emplace_back(make_object(i));
  const std::size_t object_size = json::to_text(list.front()).size();
  const json::Object request{{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
                             {"desiredAPIVersion", std::string(group) + "/v1"},
                             {"objects", std::move(list)}};
  http::Call call;
  call.method = "POST";
  call.url = http::Url::parse(url).value();
  call.headers.set("Content-Type", "application/json");
  call.body = json::to_text(json::Object{
      {"kind", "ConversionReview"}, {"apiVersion", "apiextensions.k8s.io/v1"}, {"request", request}});
  auto client = http::Client::create({.ca_files = {ca}, .system_cas = false, .proxy_environment = false});
  if (!client) return failed(client.error().message);
  std::vector<double> milliseconds;
  double cpu = 0;
  const int warm_up = std::max(requests / 10, 2);
  for (int i = -warm_up; i < requests; ++i) {
    if (i == 0) cpu = cpu_microseconds(pid);
    call.limits.deadline = Clock::system().steady() + std::chrono::seconds(60);
    const SteadyTime begin = Clock::system().steady();
    const auto reply = (*client)->send(call);
    if (!reply) return failed(reply.error().message);
    const std::chrono::duration<double, std::milli> took = Clock::system().steady() - begin;
    if (i >= 0) milliseconds.push_back(took.count());
    if (i > -warm_up) continue;
    const auto body = json::parse(reply->body);
    if (!body) return failed(body.error().message);
    const auto* response = json::find(*body, "response");
    const auto* converted = response != nullptr ? json::find(*response, "convertedObjects") : nullptr;
    if (converted == nullptr || !converted->is_array() ||
        converted->get_array().size() != static_cast<std::size_t>(objects) ||
        json::to_text(converted->get_array().back()).find(R"("capacity":{)") == std::string::npos) {
      return failed("the webhook did not convert: " + reply->body.substr(0, 500));
    }
  }
  cpu = cpu_microseconds(pid) - cpu;
  std::ranges::sort(milliseconds);
  const auto at = [&](double part) {
    return milliseconds[std::min(milliseconds.size() - 1,
                                 static_cast<std::size_t>(part * static_cast<double>(milliseconds.size())))];
  };
  std::printf("%.2f %.3f %.3f %.1f %zu\n", cpu / objects / requests, at(0.5), at(0.99), peak_mib(pid),
              object_size);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "serve" && argc == 4) return serve(argv[2], argv[3]);
  if (command == "drive" && argc == 7)
    return drive(argv[2], argv[3], std::stoi(argv[4]), std::stoi(argv[5]), std::stoi(argv[6]));
  std::fprintf(stderr, "usage: bench_conversion serve CERTIFICATE KEY | drive URL CA PID OBJECTS REQUESTS\n");
  return 2;
}
