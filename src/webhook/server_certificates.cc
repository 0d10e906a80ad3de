// SPDX-License-Identifier: Apache-2.0

#include "webhook/server_certificates.h"

#include <algorithm>

#include "base/backoff.h"
#include "base/log.h"
#include "kube/client/conflict.h"

namespace fairway::webhook {
namespace {

constexpr std::chrono::seconds first_pause{1}, longest_pause{60};
/// The shortest interval of rounds, even if a rotation is due earlier.
constexpr std::chrono::milliseconds shortest_wait{100};

/// The shortest interval of checks, however short the overlap: each check is a request.
constexpr std::chrono::seconds shortest_check_interval(1);

}  // namespace

Result<std::unique_ptr<ServerCertificates>> ServerCertificates::create(std::shared_ptr<kube::Client> client,
                                                                       ServerCertificatesOptions options) {
  if (auto checked = options.policy.check(); !checked) return fail(checked.error());
  // A replica that checks too late serves a certificate whose CA the others have taken out of the bundle.
  options.check_interval = std::min<std::chrono::nanoseconds>(
      options.check_interval,
      std::max<std::chrono::nanoseconds>(options.policy.ca_overlap / 4, shortest_check_interval));
  return std::unique_ptr<ServerCertificates>(new ServerCertificates(std::move(client), std::move(options)));
}

Result<CertificateSet> ServerCertificates::read_and_advance(const std::stop_token& stop) {
  const k8s::GroupVersionResource secrets = k8s::Secret::resource.group_version_resource();
  const std::string origin = "Secret " + options_.secret.to_string();
  const Limits limits{.stop = stop};
  Result<CertificateSet> result = fail(ErrorCode::internal, "nothing was read");
  const auto written = kube::retry_on_conflict(
      client_->clock(),
      [&]() -> kube::ApiResult<k8s::Dynamic> {
        const WallTime now = client_->clock().now();
        auto read = client_->get(secrets, options_.secret, {}, limits);
        const bool missing = !read && read.error().is_not_found();
        if (!read && !missing) return read;
        k8s::Secret secret =
            missing ? k8s::make<k8s::Secret>(options_.secret.name, options_.secret.namespace_name)
                    : k8s::Secret(read->release());
        const auto refuse = [&](const Error& error) {
          return std::unexpected(kube::ApiError(
              error.within(origin + " cannot be used; to have certificates made anew, delete it")));
        };
        auto set = CertificateSet::read(secret);
        if (!set) return refuse(set.error());
        if (*set) {
          auto changed = (*set)->advance(options_.policy, now, trusted_since(**set));
          if (!changed) return refuse(changed.error());
          result = **set;
          if (!*changed) return secret;
        } else if (set_) {
          // Deleted to have new certificates issued; those that replicas serve must stay trusted until then.
          result = *set_;
          if (auto begun = result->begin_replacing_authority(options_.policy, now); !begun)
            return refuse(begun.error());
          if (auto changed = result->advance(options_.policy, now, std::nullopt); !changed)
            return refuse(changed.error());
        } else {
          result = CertificateSet::make(options_.policy, now);
          if (!result) return std::unexpected(kube::ApiError(result.error()));
        }
        result->write(secret);
        if (!missing)
          return client_->replace(secrets, secret, {}, {.field_manager = options_.field_manager}, limits);
        secret.set_type("Opaque");
        auto made = client_->create(secrets, secret, {.field_manager = options_.field_manager}, limits);
        // Another replica was first: that is a conflict like any other.
        if (!made && made.error().is_already_exists()) {
          return std::unexpected(kube::ApiError(
              origin, k8s::Status::failure(k8s::reason::conflict, "another replica has made it")));
        }
        return made;
      },
      kube::conflict_of_replicas, stop);
  if (!written) return fail(written.error().within("keeping the webhook's certificates in " + origin));
  return result;
}

Result<void> ServerCertificates::publish(const std::string& bundle, const std::stop_token& stop) {
  Result<void> result;
  if (options_.before_publishing && published_ != bundle) {
    if (auto registered = options_.before_publishing(bundle); !registered) {
      published_.clear();
      return registered;
    }
  }
  for (const CaBundleTarget& target : options_.targets) {
    const auto put = publish_ca_bundle(*client_, target, bundle, options_.field_manager, {.stop = stop});
    if (!put) {
      if (result) result = fail(put.error());
    } else if (*put) {
      log::info("published who signs the webhook's certificate", {{"to", target.to_string()}});
    }
  }
  if (!result) {
    published_.clear();
  } else if (published_ != bundle) {
    published_ = bundle;
    published_since_ = client_->clock().now();
  }
  return result;
}

std::optional<WallTime> ServerCertificates::trusted_since(const CertificateSet& set) const {
  if (published_ != set.bundle()) return std::nullopt;
  return published_since_;
}

Result<void> ServerCertificates::serve() {
  if (served_ == set_->serving()) return {};
  if (auto served = options_.serve(set_->serving()); !served)
    return fail(served.error().within("serving the webhook's new certificate"));
  served_ = set_->serving();
  return {};
}

Result<SteadyTime> ServerCertificates::round(const std::stop_token& stop) {
  auto set = read_and_advance(stop);
  if (!set) return fail(set.error());
  set_ = *std::move(set);
  // First the bundle that clients trust, then the certificate; but there must be a server before API servers
  // are told of it.
  const bool first = !served_;
  Result<void> served = first ? serve() : Result<void>{};
  const Result<void> published = publish(set_->bundle(), stop);
  if (!first) served = serve();
  if (!published) return fail(published.error());
  if (!served) return fail(served.error());
  const Clock& clock = client_->clock();
  const auto wait = std::clamp<std::chrono::nanoseconds>(
      set_->due(options_.policy, trusted_since(*set_)) - clock.now(), shortest_wait,
      std::max<std::chrono::nanoseconds>(options_.check_interval, shortest_wait));
  return clock.steady() + std::chrono::duration_cast<SteadyTime::duration>(wait);
}

void ServerCertificates::run(const std::stop_token& stop) {
  Backoff backoff(
      {.first = first_pause,
       .longest = std::clamp<std::chrono::nanoseconds>(options_.check_interval, first_pause, longest_pause)},
      client_->clock());
  while (!stop.stop_requested()) {
    const auto next = round(stop);
    Clock& clock = client_->clock();
    if (next) {
      backoff.reset();
      clock.wait_until(*next, stop);
    } else if (!stop.stop_requested()) {
      log::error("the webhook's certificates are not as they should be", {{"why", next.error().message}});
      clock.wait_until(clock.steady() + backoff.next(), stop);
    }
  }
}

}  // namespace fairway::webhook
