// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/defaults.h"

#include <map>
#include <string>
#include <vector>

#include "apiserver/internal/kinds/computed_defaults.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "base/text.h"

namespace fairway::apiserver::kinds {

namespace {

// A type a line: its group ("-": the core group), its name, a field, and what the field is if it is not set.
constexpr std::string_view constants = R"(
- PodSpec dnsPolicy "ClusterFirst"
- PodSpec restartPolicy "Always"
- PodSpec securityContext {}
- PodSpec terminationGracePeriodSeconds 30
- PodSpec schedulerName "default-scheduler"
- Pod spec.enableServiceLinks true
- Container terminationMessagePath "/dev/termination-log"
- Container terminationMessagePolicy "File"
- EphemeralContainer terminationMessagePath "/dev/termination-log"
- EphemeralContainer terminationMessagePolicy "File"
- Probe timeoutSeconds 1
- Probe periodSeconds 10
- Probe successThreshold 1
- Probe failureThreshold 3
- HTTPGetAction path "/"
- HTTPGetAction scheme "HTTP"
- ObjectFieldSelector apiVersion "v1"
- SecretVolumeSource defaultMode 420
- ConfigMapVolumeSource defaultMode 420
- DownwardAPIVolumeSource defaultMode 420
- ProjectedVolumeSource defaultMode 420
- ServiceAccountTokenProjection expirationSeconds 3600
- HostPathVolumeSource type ""
- ServiceSpec sessionAffinity "None"
- ServiceSpec type "ClusterIP"
- ServicePort protocol "TCP"
- EndpointPort protocol "TCP"
- Secret type "Opaque"
- NamespaceStatus phase "Active"
- PersistentVolume status.phase "Pending"
- PersistentVolumeSpec persistentVolumeReclaimPolicy "Retain"
- PersistentVolumeSpec volumeMode "Filesystem"
- PersistentVolumeClaim status.phase "Pending"
- PersistentVolumeClaimSpec volumeMode "Filesystem"
apps DeploymentSpec replicas 1
apps DeploymentSpec revisionHistoryLimit 10
apps DeploymentSpec progressDeadlineSeconds 600
apps DeploymentStrategy type "RollingUpdate"
apps DaemonSetSpec revisionHistoryLimit 10
apps DaemonSetUpdateStrategy type "RollingUpdate"
apps StatefulSetSpec podManagementPolicy "OrderedReady"
apps StatefulSetSpec persistentVolumeClaimRetentionPolicy {}
apps StatefulSetSpec replicas 1
apps StatefulSetSpec revisionHistoryLimit 10
apps StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted "Retain"
apps StatefulSetPersistentVolumeClaimRetentionPolicy whenScaled "Retain"
apps RollingUpdateStatefulSetStrategy partition 0
apps RollingUpdateStatefulSetStrategy maxUnavailable 1
apps ReplicaSetSpec replicas 1
batch Job spec.completionMode "NonIndexed"
batch Job spec.suspend false
batch Job spec.manualSelector false
batch CronJobSpec concurrencyPolicy "Allow"
batch CronJobSpec suspend false
batch CronJobSpec successfulJobsHistoryLimit 3
batch CronJobSpec failedJobsHistoryLimit 1
batch PodFailurePolicyOnPodConditionsPattern status "True"
autoscaling HorizontalPodAutoscalerSpec minReplicas 1
networking.k8s.io NetworkPolicyPort protocol "TCP"
networking.k8s.io IngressClassParametersReference scope "Cluster"
rbac.authorization.k8s.io RoleRef apiGroup "rbac.authorization.k8s.io"
storage.k8s.io StorageClass reclaimPolicy "Delete"
storage.k8s.io StorageClass volumeBindingMode "Immediate"
storage.k8s.io CSIDriverSpec attachRequired true
storage.k8s.io CSIDriverSpec podInfoOnMount false
storage.k8s.io CSIDriverSpec storageCapacity false
storage.k8s.io CSIDriverSpec fsGroupPolicy "ReadWriteOnceWithFSType"
storage.k8s.io CSIDriverSpec volumeLifecycleModes ["Persistent"]
storage.k8s.io CSIDriverSpec requiresRepublish false
storage.k8s.io CSIDriverSpec seLinuxMount false
storage.k8s.io CSIDriverSpec preventPodSchedulingIfMissing false
scheduling.k8s.io PriorityClass preemptionPolicy "PreemptLowerPriority"
admissionregistration.k8s.io ValidatingWebhook failurePolicy "Fail"
admissionregistration.k8s.io ValidatingWebhook matchPolicy "Equivalent"
admissionregistration.k8s.io ValidatingWebhook namespaceSelector {}
admissionregistration.k8s.io ValidatingWebhook objectSelector {}
admissionregistration.k8s.io ValidatingWebhook timeoutSeconds 10
admissionregistration.k8s.io MutatingWebhook failurePolicy "Fail"
admissionregistration.k8s.io MutatingWebhook matchPolicy "Equivalent"
admissionregistration.k8s.io MutatingWebhook namespaceSelector {}
admissionregistration.k8s.io MutatingWebhook objectSelector {}
admissionregistration.k8s.io MutatingWebhook timeoutSeconds 10
admissionregistration.k8s.io MutatingWebhook reinvocationPolicy "Never"
admissionregistration.k8s.io RuleWithOperations scope "*"
admissionregistration.k8s.io NamedRuleWithOperations scope "*"
admissionregistration.k8s.io ServiceReference port 443
admissionregistration.k8s.io ValidatingAdmissionPolicySpec failurePolicy "Fail"
admissionregistration.k8s.io MutatingAdmissionPolicySpec failurePolicy "Fail"
admissionregistration.k8s.io MatchResources matchPolicy "Equivalent"
admissionregistration.k8s.io MatchResources namespaceSelector {}
admissionregistration.k8s.io MatchResources objectSelector {}
apiregistration.k8s.io ServiceReference port 443
apiextensions.k8s.io CustomResourceDefinitionSpec conversion {"strategy":"None"}
apiextensions.k8s.io ServiceReference port 443
flowcontrol.apiserver.k8s.io FlowSchemaSpec matchingPrecedence 1000
flowcontrol.apiserver.k8s.io ExemptPriorityLevelConfiguration nominalConcurrencyShares 0
flowcontrol.apiserver.k8s.io ExemptPriorityLevelConfiguration lendablePercent 0
flowcontrol.apiserver.k8s.io LimitedPriorityLevelConfiguration nominalConcurrencyShares 30
flowcontrol.apiserver.k8s.io LimitedPriorityLevelConfiguration lendablePercent 0
flowcontrol.apiserver.k8s.io QueuingConfiguration handSize 8
flowcontrol.apiserver.k8s.io QueuingConfiguration queues 64
flowcontrol.apiserver.k8s.io QueuingConfiguration queueLengthLimit 50
resource.k8s.io ExactDeviceRequest allocationMode "ExactCount"
resource.k8s.io DeviceSubRequest allocationMode "ExactCount"
discovery.k8s.io EndpointPort name ""
discovery.k8s.io EndpointPort protocol "TCP"
)";

struct Constant {
  std::vector<std::string_view> path;
  json::Value value;
};

using Constants = std::map<std::pair<std::string_view, std::string_view>, std::vector<Constant>>;

const Constants& all_constants() {
  static const Constants read = [] {
    Constants made;
    for (const std::string_view line : split(constants, '\n')) {
      const auto words = split(line, ' ');
      if (words.size() != 4) continue;
      const std::string_view group = words[0] == "-" ? std::string_view{} : words[0];
      made[{group, words[1]}].push_back({split(words[2], '.'), json::parse(words[3]).value()});
    }
    return made;
  }();
  return read;
}

void fill(json::Object& object, const MessageType& type, const Constant& constant) {
  json::Object* at = &object;
  const MessageType* of = &type;
  for (std::size_t i = 0; i + 1 < constant.path.size(); ++i) {
    of = of->find(constant.path[i])->message;
    json::Value& inner = (*at)[constant.path[i]];
    if (!inner.is_object()) inner.emplace_object();
    at = &inner.get_object();
  }
  const std::string_view name = constant.path.back();
  const Field* field = of->find(name);
  const json::Value* given = at->if_contains(name);
  // A pointer to zero is set.
  const bool set = given != nullptr && !given->is_null() && (field->pointer || !is_unset(*at, name));
  if (!set) (*at)[name] = constant.value;
}

void walk(json::Object& object, const MessageType& type) {
  const auto found = all_constants().find({type.group(), type.name()});
  if (found != all_constants().end()) {
    for (const Constant& constant : found->second) fill(object, type, constant);
  }
  for (const Field* field : type.json_fields()) {
    if (field->default_json.empty()) continue;
    const json::Value* given = object.if_contains(field->name);
    if (given == nullptr || given->is_null() || (!field->pointer && is_unset(object, field->name))) {
      object[field->name] = json::parse(field->default_json).value();
    }
  }
  apply_computed_defaults(object, type);
  for (auto& member : object) {
    const Field* field = type.find(member.key());
    if (field == nullptr || field->type != FieldType::message) continue;
    if (field->shape == FieldShape::one) {
      if (json::Object* inner = member.value().if_object()) walk(*inner, *field->message);
    } else if (json::Array* list = member.value().if_array()) {
      for (json::Value& element : *list) {
        if (json::Object* inner = element.if_object()) walk(*inner, *field->message);
      }
    } else if (json::Object* map = member.value().if_object()) {
      for (auto& pair : *map) {
        if (json::Object* inner = pair.value().if_object()) walk(*inner, *field->message);
      }
    }
  }
}

}  // namespace

Result<json::Value> apply_defaults(const json::Value& document, const MessageType& type) {
  json::Value made(document, document.storage());
  if (json::Object* object = made.if_object()) walk(*object, type);
  return read_typed(made, type);
}

}  // namespace fairway::apiserver::kinds
