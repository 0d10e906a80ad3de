// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/configurations.h"

#include <utility>

#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::admission {

template <class Compiled, class Compile>
Result<bool> Configurations::follow(const char* resource, Entries<Compiled>& entries, Compile compile) {
  auto list = storage_.list({.resource = resource});
  if (!list) return fail(list.error().error);
  Entries<Compiled> next;
  bool is_changed = list->records.size() != entries.size();
  for (const storage::RecordPtr& record : list->records) {
    const auto known = entries.find(record->path());
    if (known != entries.end() && known->second.record->revision() == record->revision()) {
      next.insert(entries.extract(known));
      continue;
    }
    is_changed = true;
    next.emplace(record->path(), Entry<Compiled>{record, compile(resources::parse(*record))});
  }
  entries = std::move(next);
  return is_changed;
}

void Configurations::publish() {
  auto made = std::make_shared<Configured>();
  for (const auto& [entries, to] :
       {std::pair{&mutating_, &made->mutating}, std::pair{&validating_, &made->validating}}) {
    for (const auto& [name, entry] : *entries)
      to->insert(to->end(), entry.compiled.begin(), entry.compiled.end());
  }
  for (const auto& [name, policy] : policies_) {
    Configured::BoundPolicy bound{policy.compiled, {}};
    for (const auto& [binding_name, binding] : bindings_) {
      if (binding.compiled->policy() == name) bound.bindings.push_back(binding.compiled);
    }
    if (!bound.bindings.empty()) made->policies.push_back(std::move(bound));
  }
  configured_ = std::move(made);
}

Result<std::shared_ptr<const Configured>> Configurations::current() {
  const std::lock_guard lock(mutex_);
  // Changes that are written from here on are seen by the next request.
  const storage::Revision revision = storage_.revision();
  if (revision == read_until_) return configured_;
  const auto webhooks = [&](bool is_mutating) {
    return [this, is_mutating](const k8s::Dynamic& configuration) {
      Webhooks made;
      for (const k8s::View& webhook : configuration.items("webhooks")) {
        made.push_back(std::make_shared<const Webhook>(webhook, configuration.name(), is_mutating, storage_));
      }
      return made;
    };
  };
  const std::array changes{
      follow("admissionregistration.k8s.io/mutatingwebhookconfigurations", mutating_, webhooks(true)),
      follow("admissionregistration.k8s.io/validatingwebhookconfigurations", validating_, webhooks(false)),
      follow("admissionregistration.k8s.io/validatingadmissionpolicies", policies_,
             [](const k8s::Dynamic& policy) { return std::make_shared<const Policy>(policy); }),
      follow("admissionregistration.k8s.io/validatingadmissionpolicybindings", bindings_,
             [](const k8s::Dynamic& binding) { return std::make_shared<const PolicyBinding>(binding); })};
  bool is_changed = false;
  for (const Result<bool>& change : changes) {
    if (change) is_changed = is_changed || *change;
  }
  if (is_changed) publish();
  for (const Result<bool>& change : changes) {
    if (!change) return fail(change.error());
  }
  read_until_ = revision;
  return configured_;
}

}  // namespace fairway::apiserver::admission
