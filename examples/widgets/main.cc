// Widgets in three versions: how an operator of one's own serves the webhooks of its kind.
// docs/write-a-controller.md
#include <csignal>
#include <cstdio>

#include "conversion/documents.h"
#include "conversion/webhook.h"

using namespace fairway;

// The versions, as views of their JSON: what they do not name stays as it is.

namespace v1alpha1 {  // spec.size
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1alpha1", "Widget", "widgets"};
  using Dynamic::Dynamic;
};
}  // namespace v1alpha1

namespace v1beta1 {  // spec.size, spec.replicas
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1beta1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::optional<std::string_view> size() const { return find_text("spec.size"); }
  std::optional<std::int64_t> replicas() const { return find_integer("spec.replicas"); }
};
}  // namespace v1beta1

namespace v1 {  // spec.capacity.{size,replicas}, spec.mode: the older ones cannot say "turbo", nor XL
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::optional<std::string_view> size() const { return find_text("spec.capacity.size"); }
  std::optional<std::int64_t> replicas() const { return find_integer("spec.capacity.replicas"); }
  std::string_view mode() const { return text("spec.mode"); }
};
}  // namespace v1

namespace {

// Neighbours know each other, nobody else.

Result<v1beta1::Widget> to_beta(v1alpha1::Widget older) {
  return v1beta1::Widget(older.release());
}

Result<v1alpha1::Widget> to_alpha(v1beta1::Widget newer) {
  newer.erase("spec.replicas");
  return v1alpha1::Widget(newer.release());
}

Result<v1::Widget> to_v1(const v1beta1::Widget& older) {
  v1::Widget newer(older.json());
  if (older.size()) newer.set("spec.capacity.size", *older.size());
  if (older.replicas()) newer.set("spec.capacity.replicas", *older.replicas());
  newer.erase("spec.size");
  newer.erase("spec.replicas");
  return newer;
}

Result<v1beta1::Widget> from_v1(const v1::Widget& newer) {
  v1beta1::Widget older(newer.json());
  if (newer.size()) older.set("spec.size", *newer.size() == "XL" ? "L" : *newer.size());
  if (newer.replicas()) older.set("spec.replicas", *newer.replicas());
  older.erase("spec.capacity");
  older.erase("spec.mode");
  return older;
}

// Everything about the kind in one place.
void add_widgets(conversion::Converters& converters) {
  converters.kind("widgets.example.com", "Widget")
      .storage("v1")
      .step<v1alpha1::Widget, v1beta1::Widget>(to_beta, to_alpha)
      .step<v1beta1::Widget, v1::Widget>(to_v1, from_v1)
      .keep_lost_fields()
      .defaults<v1::Widget>([](v1::Widget& widget) {
        if (widget.mode().empty()) widget.set("spec.mode", "steady");
      })
      .validates<v1::Widget>([](const v1::Widget& widget, const v1::Widget*) -> Result<void> {
        if (widget.mode() == "turbo" && widget.replicas().value_or(0) < 2) {
          return conversion::invalid_field("spec.mode", "turbo needs at least 2 replicas");
        }
        return {};
      });
}

int failed(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

int serve(std::shared_ptr<const conversion::Converters> converters, const http::ServerOptions& options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  metrics::Registry metrics;
  http::Router router;
  conversion::add_webhooks(router, std::move(converters), metrics);
  router.immediate("/metrics", "GET",
                   [&](const http::Request&) { return http::Response::text(200, metrics.text()); });
  const auto server = conversion::start_webhooks(options, std::move(router));
  if (!server) return failed(server.error());
  std::printf("serving https://%s\n", (*server)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  (*server)->drain(std::chrono::seconds(10));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto converters = std::make_shared<conversion::Converters>();
  add_widgets(*converters);
  if (auto ready = converters->prepare(); !ready) return failed(ready.error());
  if (argc == 5 && std::string_view(argv[1]) == "serve") {
    return serve(converters, conversion::webhook_server_options(
                                 argv[2], {.certificate_file = argv[3], .key_file = argv[4]}));
  }
  if (argc == 3 && std::string_view(argv[1]) == "convert") {
    std::string text;
    for (int c = std::getchar(); c != EOF; c = std::getchar()) text += static_cast<char>(c);
    const auto converted = conversion::convert_documents(*converters, text, argv[2]);
    if (!converted) return failed(converted.error());
    std::fputs(json::to_pretty_text(*converted).c_str(), stdout);
    return 0;
  }
  std::fprintf(stderr,
               "usage: widgets serve ADDRESS CERTIFICATE KEY\n       widgets convert VERSION <FILE\n");
  return 2;
}
