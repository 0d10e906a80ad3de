#include "conversion/webhook.h"

#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "conversion/review.h"
#include "kube/controller/status_server.h"
#include "webhook/exchange.h"

namespace fairway::conversion {

namespace {

/// Counts what reviews had converted. All series are there from the start, so that rates are right.
class ReviewMetrics {
 public:
  ReviewMetrics(const Converters& converters, metrics::Registry& registry)
      : success_(reviews(registry, "success")),
        failure_(reviews(registry, "failure")),
        refused_(reviews(registry, "refused")),
        duration_(registry.histogram("fairway_conversion_review_duration_seconds",
                                     "Time to answer a ConversionReview",
                                     {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3})) {
    for (const KindConverters& kind : converters.kinds()) {
      for (const std::string& from : kind.version_names()) {
        for (const std::string& to : kind.version_names()) {
          if (from == to) continue;
          const ConvertedPair pair{kind.group(), kind.kind(), from, to};
          pairs_[key(pair)] = {objects(registry, pair, "converted"), objects(registry, pair, "failed")};
        }
      }
    }
  }

  void count(const ReviewReply& reply, std::chrono::duration<double> took) {
    (reply.http_status != 200 ? refused_ : reply.error.empty() ? success_ : failure_).add();
    duration_.observe(took.count());
    for (const ConvertedPair& pair : reply.pairs) {
      const auto found = pairs_.find(key(pair));
      if (found == pairs_.end()) continue;
      if (pair.converted > 0) found->second.converted.add(static_cast<double>(pair.converted));
      if (pair.failed > 0) found->second.failed.add(static_cast<double>(pair.failed));
    }
  }

 private:
  struct Counts {
    metrics::Counter converted, failed;
  };

  static metrics::Counter reviews(metrics::Registry& registry, const std::string& result) {
    return registry.counter("fairway_conversion_reviews_total", "ConversionReviews by their result",
                            {{"result", result}});
  }
  static metrics::Counter objects(metrics::Registry& registry, const ConvertedPair& pair,
                                  const std::string& result) {
    return registry.counter("fairway_conversion_objects_total", "Objects converted from version to version",
                            {{"group", pair.group},
                             {"kind", pair.kind},
                             {"from", pair.from},
                             {"to", pair.to},
                             {"result", result}});
  }
  static std::string key(const ConvertedPair& pair) {
    return pair.group + '/' + pair.kind + '/' + pair.from + '/' + pair.to;
  }

  metrics::Counter success_, failure_, refused_;
  metrics::Histogram duration_;
  std::unordered_map<std::string, Counts> pairs_;
};

http::Response answer_conversion(const Converters& converters, ReviewMetrics& metrics,
                                 const http::Request& request) {
  if (auto refused = webhook::refuse_media_type(request)) return *std::move(refused);
  const SteadyTime begin = Clock::system().steady();
  ReviewReply reply = answer_review(converters, request.body);
  metrics.count(reply, Clock::system().steady() - begin);
  if (!reply.error.empty()) log::warning("conversion failed", {{"error", reply.error}});
  return http::Response::json(reply.http_status, std::move(reply.body));
}

/// The object of a request and its kind's converters, where there is something to say about it.
struct Subject {
  const KindConverters* kind = nullptr;
  k8s::Dynamic object;
};

Subject find_subject(const Converters& converters, const webhook::AdmissionRequest& request) {
  using webhook::AdmissionOperation;
  const bool is_write =
      request.operation() == AdmissionOperation::create || request.operation() == AdmissionOperation::update;
  if (!is_write || !request.subresource().empty() || request.object() == nullptr) return {};
  Subject subject{nullptr, k8s::Dynamic(*request.object())};
  const k8s::GroupVersionKind kind = subject.object.group_version_kind();
  subject.kind = converters.find(kind.group, kind.kind);
  return subject;
}

}  // namespace

webhook::AdmissionAnswer default_object(const Converters& converters,
                                        const webhook::AdmissionRequest& request) {
  Subject subject = find_subject(converters, request);
  if (subject.kind == nullptr) return webhook::AdmissionAnswer::allow();
  subject.kind->fill_defaults(subject.object);
  return webhook::AdmissionAnswer::change(subject.object.release());
}

webhook::AdmissionAnswer validate_object(const Converters& converters,
                                         const webhook::AdmissionRequest& request) {
  const Subject subject = find_subject(converters, request);
  if (subject.kind == nullptr) return webhook::AdmissionAnswer::allow();
  const std::string_view written = request.text("requestKind.version");
  if (subject.kind->guards_lost_status() && !written.empty() && written != request.kind().version) {
    // The annotation has been read by now, and cannot be looked at.
    return webhook::AdmissionAnswer::deny(
        k8s::reason::forbidden, "the object was written in " + std::string(written) +
                                    ", in which this webhook must see it: name all versions in its rules, or "
                                    "set matchPolicy: Exact");
  }
  std::optional<k8s::Dynamic> old;
  if (request.old_object() != nullptr) old.emplace(*request.old_object());
  const auto valid = subject.kind->validate(subject.object, old ? &*old : nullptr);
  return valid ? webhook::AdmissionAnswer::allow() : webhook::AdmissionAnswer::deny(valid.error());
}

void add_admission(http::Router& router, const std::string& path, webhook::AdmissionHandler handler,
                   metrics::Registry& metrics, bool blocking) {
  const auto counter = [&](const std::string& result) {
    return metrics.counter("fairway_admission_reviews_total", "AdmissionReviews by path and result",
                           {{"path", path}, {"result", result}});
  };
  http::Handler answer = [handler = std::move(handler), allowed = counter("allowed"),
                          denied = counter("denied"),
                          refused = counter("refused")](const http::Request& request) mutable {
    if (auto response = webhook::refuse_media_type(request)) return *std::move(response);
    if (request.body.size() > max_admission_bytes) {
      refused.add();
      return webhook::status_response(413,
                                      "an AdmissionReview may have " + std::to_string(max_admission_bytes) +
                                          " bytes, and this one has " + std::to_string(request.body.size()));
    }
    webhook::AdmissionReply reply = webhook::answer_admission(handler, request.body);
    (reply.http_status != 200 ? refused : reply.allowed ? allowed : denied).add();
    return http::Response::json(reply.http_status, std::move(reply.body));
  };
  if (blocking) {
    router.blocking(path, "POST", std::move(answer));
  } else {
    router.immediate(path, "POST", std::move(answer));
  }
}

void add_webhooks(http::Router& router, const std::shared_ptr<const Converters>& converters,
                  metrics::Registry& metrics, const WebhookPaths& paths) {
  if (!paths.convert.empty()) {
    const auto counts = std::make_shared<ReviewMetrics>(*converters, metrics);
    router.immediate(paths.convert, "POST", [converters, counts](const http::Request& request) {
      return answer_conversion(*converters, *counts, request);
    });
  }
  if (!paths.defaults.empty()) {
    add_admission(
        router, paths.defaults,
        [converters](const webhook::AdmissionRequest& request) {
          return default_object(*converters, request);
        },
        metrics);
  }
  if (!paths.validates.empty()) {
    add_admission(
        router, paths.validates,
        [converters](const webhook::AdmissionRequest& request) {
          return validate_object(*converters, request);
        },
        metrics);
  }
}

http::ServerOptions webhook_server_options(std::string listen, http::TlsServerOptions tls) {
  http::ServerOptions options;
  options.listen = std::move(listen);
  options.tls = std::move(tls);
  options.max_body_bytes = max_review_bytes;
  options.max_bodies_bytes = max_reviews_bytes;
  options.body_timeout =
      std::chrono::seconds(15);  // API servers are near; who is slow must not hold up others
  return options;
}

Result<std::unique_ptr<http::Server>> start_webhooks(const http::ServerOptions& options, http::Router router,
                                                     std::function<std::optional<std::string>()> not_ready) {
  const auto no_fault = []() -> std::optional<std::string> { return std::nullopt; };
  if (!not_ready) not_ready = no_fault;
  router.immediate("/livez", "GET HEAD", kube::health_answer(no_fault, "not alive"))
      .immediate("/readyz", "GET HEAD", kube::health_answer(std::move(not_ready), "not ready"));
  router.refusal([](int status, std::string_view why) { return webhook::status_response(status, why); });
  return http::Server::start(options, std::move(router));
}

}  // namespace fairway::conversion
