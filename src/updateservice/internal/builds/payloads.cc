// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/builds/payloads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace fairway::updateservice {
namespace {

std::string key_of(const graph::Release& release) {
  return release.version.with_build("").to_string() + "+" + release.arch;
}

/// Returns whether an image is known only from another replica, which gives its digest but not its location.
bool is_digest_alone(std::string_view known) {
  return known.starts_with('@');
}

class Keeper {
 public:
  Keeper(BuiltInputs& inputs, const BuiltInputs* before, const Payloads& known, const Accepted& accepted,
         std::vector<graph::Problem>& problems)
      : inputs_(inputs), before_(before), known_(known), accepted_(accepted), problems_(problems) {}

  void run() {
    find_candidates();
    for (auto& [key, candidates] : candidates_) decide(key, candidates);
    for (sources::FetchedReleases& fetched : inputs_.releases) {
      bool changed = replace_releases(fetched);
      for (graph::UpstreamGraph& upstream : fetched.upstreams) changed = replace_nodes(upstream) || changed;
      // After a restart the source has to be asked what it really says.
      if (changed) fetched.revision += " with kept images";
    }
  }

 private:
  struct Candidates {
    std::vector<const graph::Release*> all;  ///< releases of one version, in the order of the sources
    std::string wanted;                      ///< the digest that counts; "": any
    std::optional<graph::Release> kept;      ///< earlier release, if no source offers it now
    bool placed = false;
  };

  void find_candidates() {
    for (const sources::FetchedReleases& fetched : inputs_.releases) {
      for (const graph::Release& release : fetched.releases) {
        std::string key = key_of(release);
        if (known_.contains(key)) candidates_[std::move(key)].all.push_back(&release);
      }
    }
  }

  bool is_accepted(const std::string& key, std::string_view payload) const {
    const auto entries = accepted_.payloads.find(key);
    return entries != accepted_.payloads.end() && entries->second.contains(std::string(digest_of(payload)));
  }

  void decide(const std::string& key, Candidates& candidates) {
    const std::string& was = known_.at(key);
    const auto has_image = [](const graph::Release* release) { return !release->payload.empty(); };
    const auto first = std::ranges::find_if(candidates.all, has_image);
    const std::string_view taken = first == candidates.all.end() ? std::string_view{} : (*first)->payload;
    for (const graph::Release* candidate : candidates.all) {
      if (!is_accepted(key, candidate->payload) || digest_of(candidate->payload) == digest_of(was)) continue;
      candidates.wanted = digest_of(candidate->payload);
      return;
    }
    if (digest_of(taken) == digest_of(was)) return;
    candidates.wanted = digest_of(was);
    const auto same = [&](const graph::Release* candidate) {
      return digest_of(candidate->payload) == candidates.wanted;
    };
    if (std::ranges::none_of(candidates.all, same)) candidates.kept = find_before(key, candidates.wanted);
    const bool served = candidates.kept || std::ranges::any_of(candidates.all, same);
    const auto other = std::ranges::find_if_not(candidates.all, same);
    add_problem(key, was, **other, served);
  }

  std::optional<graph::Release> find_before(const std::string& key, std::string_view digest) const {
    if (before_ == nullptr) return std::nullopt;
    for (const sources::FetchedReleases& fetched : before_->releases) {
      for (const graph::Release& release : fetched.releases) {
        if (digest_of(release.payload) == digest && key_of(release) == key) return release;
      }
    }
    return std::nullopt;
  }

  void add_problem(const std::string& key, const std::string& was, const graph::Release& candidate,
                   bool served) {
    const std::string now = candidate.payload.empty() ? "no image" : candidate.payload;
    add_problem(key, was, now, candidate.source, served ? "the old one stays" : "the version is left out");
  }

  void add_problem(const std::string& key, const std::string& was, const std::string& now,
                   const std::string& source, const std::string& effect) {
    const bool by_peer = is_digest_alone(was);
    problems_.push_back(
        {.kind = graph::problem_kind::payload_conflict,
         .place = {.file = source},
         .message = key +
                    (by_peer ? " is served by another replica with the image " + std::string(digest_of(was))
                             : " was served with the image " + was) +
                    ", and is now offered with " + now + "; " + effect +
                    ". If the change is meant: fairway graph accept " + key + "=" +
                    std::string(digest_of(now)) + " --data DIR, or the line `" + key + " " +
                    std::string(digest_of(now)) + "` in the file " + accept_payloads_path +
                    " of the graph data",
         .versions = {key}});
  }

  bool replace_releases(sources::FetchedReleases& fetched) {
    bool changed = false;
    std::vector<graph::Release> left;
    left.reserve(fetched.releases.size());
    for (graph::Release& release : fetched.releases) {
      const auto found = candidates_.find(key_of(release));
      if (found == candidates_.end() || found->second.wanted.empty() ||
          digest_of(release.payload) == found->second.wanted) {
        left.push_back(std::move(release));
        continue;
      }
      changed = true;
      Candidates& candidates = found->second;
      if (candidates.kept && !std::exchange(candidates.placed, true)) left.push_back(*candidates.kept);
    }
    fetched.releases = std::move(left);
    return changed;
  }

  bool replace_nodes(graph::UpstreamGraph& upstream) {
    bool changed = false;
    for (graph::Node& node : upstream.graph.nodes) {
      const std::string key = node.version + "+" + upstream.arch;
      const auto known = known_.find(key);
      if (known == known_.end() || digest_of(known->second) == digest_of(node.payload)) continue;
      if (is_accepted(key, node.payload)) continue;
      // Without an image no update into it is served.
      const bool left_out = is_digest_alone(known->second);
      add_problem(key, known->second, node.payload.empty() ? "no image" : node.payload, upstream.source,
                  left_out ? "no update into it is served" : "the old one stays");
      node.payload = left_out ? "" : known->second;
      changed = true;
    }
    return changed;
  }

  BuiltInputs& inputs_;
  const BuiltInputs* before_;
  const Payloads& known_;
  const Accepted& accepted_;
  std::vector<graph::Problem>& problems_;
  std::map<std::string, Candidates> candidates_;
};

}  // namespace

void keep_payloads(BuiltInputs& inputs, const BuiltInputs* before, const Payloads& known,
                   const Accepted& accepted, std::vector<graph::Problem>& problems) {
  if (!known.empty()) Keeper(inputs, before, known, accepted, problems).run();
}

void remember_payloads(const graph::Snapshot& snapshot, Payloads& known) {
  bool full = false;
  for (const graph::Architecture& architecture : snapshot.architectures) {
    for (const graph::SnapshotRelease& release : architecture.releases) {
      if (release.payload.empty() || release.channels.empty()) continue;
      std::string key = release.text + "+" + architecture.name;
      if (const auto place = known.find(key); place != known.end()) {
        place->second = release.payload;
      } else if (known.size() < max_payloads) {
        known.emplace(std::move(key), release.payload);
      } else {
        full = true;
      }
    }
  }
  if (full)
    log::warning("there are too many versions to remember the images of all", {{"limit", max_payloads}});
}

}  // namespace fairway::updateservice
