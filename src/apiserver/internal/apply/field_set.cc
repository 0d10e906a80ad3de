// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/field_set.h"

#include <algorithm>
#include <utility>

#include "apiserver/internal/apply/type.h"

namespace fairway::apiserver::apply {

namespace {

using Members = std::vector<PathElement>;
using Children = std::vector<FieldSet::Child>;

const PathElement& element_of(const PathElement& member) {
  return member;
}
const PathElement& element_of(const FieldSet::Child& child) {
  return child.element;
}

/// Returns the first entry whose element is not less than `element`.
template <class List>
auto lower_bound(List& list, const PathElement& element) {
  return std::ranges::lower_bound(list, element, {},
                                  [](const auto& one) -> const PathElement& { return element_of(one); });
}

/// Walks two sorted lists at once. Calls `both`, or `left` or `right` for an element of one list alone.
template <class A, class B, class Left, class Right, class Both>
void zip(const A& a, const B& b, Left left, Right right, Both both) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    const int difference = element_of(*i).compare(element_of(*j));
    if (difference < 0) {
      left(*i++);
    } else if (difference > 0) {
      right(*j++);
    } else {
      both(*i++, *j++);
    }
  }
  for (; i != a.end(); ++i) left(*i);
  for (; j != b.end(); ++j) right(*j);
}

constexpr auto ignore = [](const auto&...) {};

Members without(const Members& a, const Members& b) {
  Members out;
  zip(a, b, [&](const PathElement& one) { out.push_back(one); }, ignore, ignore);
  return out;
}

/// Finds a member by name without making an element of it: members by name come first.
template <class List>
auto find_field(const List& list, std::string_view name) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), name, [](const auto& one, std::string_view want) {
        const std::string* field = element_of(one).field_name();
        return field != nullptr && *field < want;
      });
  if (found == list.end()) return list.end();
  const std::string* field = element_of(*found).field_name();
  return field != nullptr && *field == name ? found : list.end();
}

}  // namespace

FieldSet::FieldSet() = default;
FieldSet::FieldSet(const FieldSet&) = default;
FieldSet::FieldSet(FieldSet&&) noexcept = default;
FieldSet& FieldSet::operator=(const FieldSet&) = default;
FieldSet& FieldSet::operator=(FieldSet&&) noexcept = default;
FieldSet::~FieldSet() = default;

FieldSet::FieldSet(const std::vector<Path>& paths) {
  for (const Path& path : paths) insert(path);
}

void FieldSet::insert_member(const PathElement& element) {
  const auto at = lower_bound(members_, element);
  if (at == members_.end() || !(*at == element)) members_.insert(at, element);
}

FieldSet& FieldSet::descend(const PathElement& element) {
  auto at = lower_bound(children_, element);
  if (at == children_.end() || !(at->element == element)) at = children_.insert(at, {element, {}});
  return at->set;
}

void FieldSet::append(PathElement element, FieldSet below) {
  children_.push_back({std::move(element), std::move(below)});
}

void FieldSet::insert(const Path& path) {
  if (path.empty()) return;
  FieldSet* set = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) set = &set->descend(path[i]);
  set->insert_member(path.back());
}

bool FieldSet::has_member(const PathElement& element) const {
  return std::ranges::binary_search(members_, element);
}

bool FieldSet::has_member(std::string_view field_name) const {
  return find_field(members_, field_name) != members_.end();
}

const FieldSet* FieldSet::child(const PathElement& element) const {
  const auto at = lower_bound(children_, element);
  return at == children_.end() || !(at->element == element) ? nullptr : &at->set;
}

const FieldSet* FieldSet::child(std::string_view field_name) const {
  const auto at = find_field(children_, field_name);
  return at == children_.end() ? nullptr : &at->set;
}

bool FieldSet::has(const Path& path) const {
  if (path.empty()) return false;
  const FieldSet* set = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    set = set->child(path[i]);
    if (set == nullptr) return false;
  }
  return set->has_member(path.back());
}

bool FieldSet::empty() const {
  return members_.empty() && std::ranges::all_of(children_, [](const Child& one) { return one.set.empty(); });
}

std::size_t FieldSet::size() const {
  std::size_t count = members_.size();
  for (const Child& child : children_) count += child.set.size();
  return count;
}

void FieldSet::for_each(Path& prefix, const std::function<void(const Path&)>& call) const {
  for (const PathElement& member : members_) {
    prefix.push_back(member);
    call(prefix);
    prefix.pop_back();
  }
  for (const Child& child : children_) {
    prefix.push_back(child.element);
    child.set.for_each(prefix, call);
    prefix.pop_back();
  }
}

void FieldSet::for_each(const std::function<void(const Path&)>& call) const {
  Path prefix;
  for_each(prefix, call);
}

std::string FieldSet::to_string() const {
  std::string out;
  for_each([&](const Path& path) { out += (out.empty() ? "" : "\n") + apply::to_string(path); });
  return out;
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet out;
  const auto member = [&](const PathElement& one) { out.members_.push_back(one); };
  zip(members_, other.members_, member, member, [&](const auto& one, const auto&) { member(one); });
  const auto child = [&](const Child& one) { out.children_.push_back(one); };
  zip(children_, other.children_, child, child,
      [&](const Child& a, const Child& b) { out.children_.push_back({a.element, a.set.united(b.set)}); });
  return out;
}

FieldSet FieldSet::intersection(const FieldSet& other) const {
  FieldSet out;
  zip(members_, other.members_, ignore, ignore,
      [&](const PathElement& one, const PathElement&) { out.members_.push_back(one); });
  zip(children_, other.children_, ignore, ignore, [&](const Child& a, const Child& b) {
    FieldSet shared = a.set.intersection(b.set);
    if (!shared.empty()) out.children_.push_back({a.element, std::move(shared)});
  });
  return out;
}

FieldSet FieldSet::difference(const FieldSet& other) const {
  FieldSet out;
  out.members_ = without(members_, other.members_);
  zip(
      children_, other.children_, [&](const Child& one) { out.children_.push_back(one); }, ignore,
      [&](const Child& a, const Child& b) {
        FieldSet rest = a.set.difference(b.set);
        if (!rest.empty()) out.children_.push_back({a.element, std::move(rest)});
      });
  return out;
}

FieldSet FieldSet::recursive_difference(const FieldSet& other) const {
  FieldSet out;
  out.members_ = without(members_, other.members_);
  const auto keep = [&](const Child& one) {
    if (!other.has_member(one.element)) out.children_.push_back(one);
  };
  zip(children_, other.children_, keep, ignore, [&](const Child& a, const Child& b) {
    if (other.has_member(a.element)) return;
    FieldSet rest = a.set.recursive_difference(b.set);
    if (!rest.empty()) out.children_.push_back({a.element, std::move(rest)});
  });
  return out;
}

FieldSet FieldSet::leaves() const {
  FieldSet out;
  zip(members_, children_, [&](const PathElement& one) { out.members_.push_back(one); }, ignore, ignore);
  for (const Child& child : children_) out.children_.push_back({child.element, child.set.leaves()});
  return out;
}

FieldSet FieldSet::with_named_fields(const Type& type) const {
  FieldSet out;
  out.members_ = members_;
  for (const Child& child : children_) {
    const std::string* name = child.element.field_name();
    const TypeRef* below = nullptr;
    if (name != nullptr && type.map) {
      const MapType::Field* field = type.map->find(*name);
      if (field != nullptr) out.insert_member(child.element);
      below = field != nullptr ? &field->type : &type.map->element;
    } else if (child.element.if_key() != nullptr && type.list) {
      below = &type.list->element;
    }
    const Type& known = below != nullptr ? below->resolve() : Type::none();
    out.children_.push_back({child.element, child.set.with_named_fields(known)});
  }
  return out;
}

bool operator==(const FieldSet& a, const FieldSet& b) {
  return a.members_ == b.members_ &&
         std::ranges::equal(a.children_, b.children_, [](const FieldSet::Child& x, const FieldSet::Child& y) {
           return x.element == y.element && x.set == y.set;
         });
}

}  // namespace fairway::apiserver::apply
