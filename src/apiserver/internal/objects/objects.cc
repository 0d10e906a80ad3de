// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/objects.h"

#include <algorithm>

#include "apiserver/internal/objects/object_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

/// Returns whether an object is a Lease by which a leader or node shows that it is alive. Those are small: a
/// large one is something else.
bool is_lease(const resources::ServedResource& resource, std::size_t bytes) {
  constexpr std::size_t largest_lease = std::size_t{4} << 10;
  return resource.storage == "coordination.k8s.io/leases" && bytes <= largest_lease;
}

}  // namespace

Objects::Objects(storage::Storage& storage, const resources::ResourceRegistry& registry, Clock& clock,
                 Random random)
    : storage_(storage), registry_(registry), clock_(clock), services_(storage), random_(std::move(random)) {}

double Objects::random() {
  const std::scoped_lock lock(random_mutex_);
  return random_();
}

std::string Objects::make_uid() {
  constexpr std::string_view digits = "0123456789abcdef", variants = "89ab";
  constexpr std::string_view form = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";  // RFC 9562, version 4
  std::string uid(form);
  // A double holds 53 bits: 13 digits at a time.
  constexpr double scale = 1LL << 52;
  constexpr int digits_at_once = 13;
  std::uint64_t bits = 0;
  int left = 0;
  for (char& c : uid) {
    if (c != 'x' && c != 'y') continue;
    if (left == 0) {
      bits = static_cast<std::uint64_t>(random() * scale);
      left = digits_at_once;
    }
    c = c == 'x' ? digits[bits & 15] : variants[bits & 3];
    bits >>= 4;
    --left;
  }
  return uid;
}

std::string Objects::make_name_suffix() {
  // No vowels, as in k8s.io/apimachinery/pkg/util/rand: names should not become words.
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr int length = 5;
  std::string suffix;
  for (int i = 0; i < length; ++i) {
    suffix += letters[static_cast<std::size_t>(random() * static_cast<double>(letters.size()))];
  }
  return suffix;
}

k8s::StatusResult<storage::RecordPtr> Objects::find(const resources::ServedResource& resource,
                                                    const k8s::Key& key) {
  auto found = storage_.get(storage_key(resource, key));
  if (!found) return std::unexpected(resources::status_of(found.error()));
  return *std::move(found);
}

k8s::StatusResult<void> Objects::check_write(WriteStage stage, const CheckedWrite& write) const {
  const auto staged = std::ranges::find_if(write_checks_, [&](const StagedCheck& one) {
    return one.stage == stage && write.resource.storage.starts_with(one.prefix);
  });
  if (staged == write_checks_.end()) return {};
  if (write.resource.kind == write.resource.storage_kind) return staged->check(write);
  // The check is for the stored form, from which another version may differ.
  k8s::Dynamic stored = write.object, stored_old = write.old == nullptr ? k8s::Dynamic() : *write.old;
  for (k8s::Dynamic* one : {&stored, &stored_old}) {
    if (one == &stored_old && write.old == nullptr) continue;
    if (auto done = write.resource.strategy->convert(*one, write.resource.storage_kind); !done) return done;
  }
  return staged->check({.context = write.context,
                        .resource = write.resource,
                        .object = stored,
                        .old = write.old == nullptr ? nullptr : &stored_old,
                        .part = write.part,
                        .request_name = write.request_name});
}

void Objects::warn(const WriteContext& context, const resources::ServedResource& resource,
                   const k8s::Dynamic& object, const k8s::Dynamic* old) {
  if (context.warnings == nullptr) return;
  for (std::string& warning : resource.strategy->warnings(object, old))
    context.warnings->push_back(std::move(warning));
}

k8s::StatusResult<Outcome> Objects::outcome_of(const storage::RecordPtr& record,
                                               const resources::ServedResource& resource) {
  const auto text = text_in_version(*record, resource);
  if (!text) return std::unexpected(text.error());
  return Outcome{.text = std::shared_ptr<const std::string>(record, *text)};
}

k8s::StatusResult<storage::Change> Objects::change_to(const k8s::Dynamic& object,
                                                      const resources::ServedResource& resource,
                                                      storage::Precondition precondition, bool needs_owners) {
  std::string text;
  if (resource.storage_kind == resource.kind) {
    text = to_stored_text(object);
  } else {
    k8s::Dynamic stored = object;
    if (auto done = resource.strategy->convert(stored, resource.storage_kind); !done) {
      return std::unexpected(done.error());
    }
    // The defaults of what is stored, which a real server fills in whenever it reads it.
    resource.strategy->refresh(stored);
    text = to_stored_text(stored);
  }
  // etcd's limit on a request.
  constexpr std::size_t most_bytes = std::size_t{3} << 19;
  if (text.size() > most_bytes && !needs_owners && object.has("metadata.managedFields")) {
    k8s::Dynamic smaller = object;
    smaller.erase("metadata.managedFields");
    return change_to(smaller, resource, precondition);
  }
  if (text.size() > most_bytes) {
    return std::unexpected(k8s::answer::request_entity_too_large("limit is " + std::to_string(most_bytes)));
  }
  auto body = storage::Body::of(std::move(text), resource.form);
  if (!body) return std::unexpected(k8s::answer::internal_error(body.error().message));
  return storage::Change{
      .key = storage_key(resource, object.key()), .precondition = precondition, .body = *std::move(body)};
}

storage::Room Objects::room_of(const storage::Change& change, const resources::ServedResource& resource,
                               const k8s::Dynamic& object, const storage::Record* current,
                               bool was_being_deleted, const WriteContext& context) {
  using storage::Room;
  // An object that is being deleted grows by one entry of managedFields at most, that of whoever removes a
  // finalizer.
  constexpr std::size_t most_growth = 1024;
  const std::size_t size = change.body->size();
  // A body has no digits of a revision.
  const std::size_t before =
      current == nullptr ? 0 : current->json().size() - std::to_string(current->revision()).size();
  Room room = Room::ordinary;
  if (is_lease(resource, size)) {
    room = size <= before ? Room::vital : Room::essential;
  } else if (object.is_being_deleted()) {
    if (size <= before + most_growth) room = Room::essential;
    if (size <= before || !was_being_deleted) room = Room::vital;
  }
  if (room != Room::ordinary && context.user.is_in(access::masters_group)) room = Room::administrator;
  return std::max(room, context.room);
}

k8s::StatusResult<storage::Written> Objects::write(storage::Change change) {
  std::vector<storage::Change> changes;
  changes.push_back(std::move(change));
  return write(std::move(changes));
}

k8s::StatusResult<storage::Written> Objects::write(std::vector<storage::Change> changes) {
  auto written = storage_.write(std::move(changes));
  if (!written) return std::unexpected(resources::status_of_write(written.error()));
  return *std::move(written);
}

storage::Key storage_key(const resources::ServedResource& resource, const k8s::Key& key) {
  return {resource.storage, resource.is_namespaced() ? key.namespace_name : "", key.name};
}

}  // namespace fairway::apiserver::objects
