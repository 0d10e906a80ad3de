// SPDX-License-Identifier: Apache-2.0

#include "k8s/patch/patch_schema.h"

#include <set>
#include <stdexcept>

#include "base/text.h"

namespace fairway::k8s {

namespace {

// A type a line: `field=Type`, `field[key]` for a list merged by a key, `field[]` for one merged as a set,
// `field!` for an object that is replaced, and their combinations.
constexpr std::string_view types = R"(
ObjectMeta ownerReferences[uid] finalizers[]
Conditions conditions[type]

Pod spec=PodSpec status=PodStatus
PodTemplate template=PodTemplateSpec
PodTemplateSpec metadata=ObjectMeta spec=PodSpec
PodSpec containers[name]=Container initContainers[name]=Container ephemeralContainers[name]=Container volumes[name]=Volume imagePullSecrets[name] hostAliases[ip] topologySpreadConstraints[topologyKey] schedulingGates[name] resourceClaims[name] evictionResponders[name]
Container env[name] ports[containerPort] volumeMounts[mountPath] volumeDevices[devicePath]
Volume ephemeral=EphemeralVolume
EphemeralVolume volumeClaimTemplate=PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata=ObjectMeta
PodStatus conditions[type] podIPs[ip] hostIPs[ip] resourceClaimStatuses[name] volumeHealth=VolumeHealth nodeAllocatableResourceClaimStatuses[resourceClaimName]=NodeAllocatable
VolumeHealth healthConditions[status]
NodeAllocatable mapping[name] overhead[name]
ReplicationController spec=WithTemplate status=Conditions
WithTemplate template=PodTemplateSpec
Service spec=ServiceSpec status=Conditions
ServiceSpec ports[port]
ServiceAccount secrets[name]
Node spec=NodeSpec status=NodeStatus
NodeSpec podCIDRs[]
NodeStatus conditions[type] addresses[type]
Namespace status=Conditions
PersistentVolumeClaim status=PersistentVolumeClaimStatus
PersistentVolumeClaimStatus conditions[type] healthStatus=VolumeHealth
ComponentStatus conditions[type]

Deployment spec=WithTemplate status=Conditions
StatefulSet spec=WithTemplate status=Conditions
DaemonSet spec=WithTemplate status=Conditions
ReplicaSet spec=WithTemplate status=Conditions
Job spec=JobSpec status=Conditions
JobSpec template=PodTemplateSpec scheduling=JobScheduling
JobScheduling resourceClaims[name]
CronJob spec=CronJobSpec
CronJobSpec jobTemplate=JobTemplateSpec
JobTemplateSpec metadata=ObjectMeta spec=JobSpec

PodDisruptionBudget spec=PodDisruptionBudgetSpec status=Conditions
PodDisruptionBudgetSpec selector!
ServiceCIDR status=Conditions
HorizontalPodAutoscaler status=Conditions
FlowSchema status=Conditions
PriorityLevelConfiguration status=Conditions
APIService status=Conditions
CSINode spec=CSINodeSpec status=CSINodeStatus
CSINodeSpec drivers[name]
CSINodeStatus storageHealth[name]
ResourceClaim status=ResourceClaimStatus
ResourceClaimStatus reservedFor[uid]
ResourceClaimTemplate spec=ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata=ObjectMeta
ValidatingWebhookConfiguration webhooks[name]=Webhook
MutatingWebhookConfiguration webhooks[name]=Webhook
Webhook matchConditions[name]
ValidatingAdmissionPolicy spec=ValidatingAdmissionPolicySpec
ValidatingAdmissionPolicySpec matchConditions[name] variables[name]
MutatingAdmissionPolicy spec=MutatingAdmissionPolicySpec
MutatingAdmissionPolicySpec matchConditions[name]
)";

// A group a line, and its kinds; "-" is the core group. A kind without a type above has its metadata only.
constexpr std::string_view kinds = R"(
- Pod PodTemplate ReplicationController Service ServiceAccount Node Namespace PersistentVolume PersistentVolumeClaim ComponentStatus ConfigMap Secret Endpoints Event LimitRange ResourceQuota
apps Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision
batch Job CronJob
policy PodDisruptionBudget
autoscaling HorizontalPodAutoscaler
networking.k8s.io Ingress IngressClass NetworkPolicy ServiceCIDR IPAddress
discovery.k8s.io EndpointSlice
events.k8s.io Event
coordination.k8s.io Lease
node.k8s.io RuntimeClass
scheduling.k8s.io PriorityClass
flowcontrol.apiserver.k8s.io FlowSchema PriorityLevelConfiguration
certificates.k8s.io CertificateSigningRequest
rbac.authorization.k8s.io Role ClusterRole RoleBinding ClusterRoleBinding
storage.k8s.io StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttachment VolumeAttributesClass
resource.k8s.io ResourceClaim ResourceClaimTemplate ResourceSlice DeviceClass
admissionregistration.k8s.io ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
apiextensions.k8s.io CustomResourceDefinition
apiregistration.k8s.io APIService
)";

}  // namespace

class PatchSchemas {
 public:
  PatchSchemas() {
    for (const std::string_view line : split(types, '\n')) {
      if (line.empty()) continue;
      const auto words = split(line, ' ');
      PatchSchema& schema = types_[std::string(words.front())];
      described_.insert(std::string(words.front()));
      for (std::size_t i = 1; i < words.size(); ++i) read_field(schema, words[i]);
    }
    for (const std::string_view line : split(kinds, '\n')) {
      if (line.empty()) continue;
      const auto words = split(line, ' ');
      const std::string_view group = words.front() == "-" ? std::string_view{} : words.front();
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string kind(words[i]);
        PatchSchema& schema = kinds_[{std::string(group), kind}];
        if (const auto type = types_.find(kind); type != types_.end()) schema = type->second;
        schema.fields_["metadata"].type = &types_["ObjectMeta"];
      }
    }
    for (const auto& [name, type] : types_) {
      if (!described_.contains(name)) throw std::logic_error("patch schema: nothing describes " + name);
    }
  }

  const PatchSchema* find(const GroupKind& kind) const {
    const auto found = kinds_.find(kind);
    return found != kinds_.end() ? &found->second : nullptr;
  }

 private:
  void read_field(PatchSchema& schema, std::string_view text) {
    PatchSchema::Field field;
    const std::size_t end = text.find_first_of("[=!");
    const std::string name(text.substr(0, end));
    std::string_view rest = end == std::string_view::npos ? std::string_view{} : text.substr(end);
    if (rest.starts_with('[')) {
      field.merge = true;
      field.merge_key = rest.substr(1, rest.find(']') - 1);
      rest.remove_prefix(rest.find(']') + 1);
    }
    if (rest.starts_with('!')) {
      field.replace = true;
      rest.remove_prefix(1);
    }
    // The elements of a map stay where they are.
    if (rest.starts_with('=')) field.type = &types_[std::string(rest.substr(1))];
    schema.fields_[name] = std::move(field);
  }

  std::map<std::string, PatchSchema> types_;
  std::set<std::string> described_;
  std::map<GroupKind, PatchSchema> kinds_;
};

const PatchSchema* PatchSchema::of(const GroupKind& kind) {
  static const PatchSchemas schemas;
  return schemas.find(kind);
}

const PatchSchema::Field* PatchSchema::find(std::string_view field) const {
  const auto found = fields_.find(field);
  return found != fields_.end() ? &found->second : nullptr;
}

}  // namespace fairway::k8s
