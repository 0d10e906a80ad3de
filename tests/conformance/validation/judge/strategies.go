// SPDX-License-Identifier: Apache-2.0

// validation prints mutants of valid objects, and what the strategies of Kubernetes's own API server say of each: the causes of the
// refusal, or none.
//
// usage: validation FOLDER SEED COUNT
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

// uid is that of all objects: a Job has it in its labels.
const uid = "8a9ed0c5-6e2d-4c8a-9d0e-2f4b6a8c0e1f"

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

var strategies = map[schema.GroupKind]strategy{
	{Kind: "ConfigMap"}:                                              configmap.Strategy,
	{Kind: "Event"}:                                                  event.Strategy,
	{Kind: "LimitRange"}:                                             limitrange.Strategy,
	{Kind: "Namespace"}:                                              namespace.Strategy,
	{Kind: "PersistentVolume"}:                                       persistentvolume.Strategy,
	{Kind: "PersistentVolumeClaim"}:                                  persistentvolumeclaim.Strategy,
	{Kind: "Pod"}:                                                    pod.Strategy,
	{Kind: "PodTemplate"}:                                            podtemplate.Strategy,
	{Kind: "ReplicationController"}:                                  replicationcontroller.Strategy,
	{Kind: "ResourceQuota"}:                                          resourcequota.Strategy,
	{Kind: "Secret"}:                                                 secret.Strategy,
	{Kind: "Service"}:                                                service.Strategy,
	{Kind: "ServiceAccount"}:                                         serviceaccount.Strategy,
	{Group: "apps", Kind: "DaemonSet"}:                               daemonset.Strategy,
	{Group: "apps", Kind: "Deployment"}:                              deployment.Strategy,
	{Group: "apps", Kind: "ReplicaSet"}:                              replicaset.Strategy,
	{Group: "apps", Kind: "StatefulSet"}:                             statefulset.Strategy,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:          horizontalpodautoscaler.Strategy,
	{Group: "batch", Kind: "CronJob"}:                                cronjob.Strategy,
	{Group: "batch", Kind: "Job"}:                                    job.Strategy,
	{Group: "coordination.k8s.io", Kind: "Lease"}:                    lease.Strategy,
	{Group: "events.k8s.io", Kind: "Event"}:                          event.Strategy,
	{Group: "networking.k8s.io", Kind: "Ingress"}:                    ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:               ingressclass.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:              networkpolicy.Strategy,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                     runtimeclass.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:                   poddisruptionbudget.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:        clusterrole.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: clusterrolebinding.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:               role.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        rolebinding.Strategy,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:              priorityclass.Strategy,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                  storageclass.Strategy,
}

// errUnreadable is that of a document that is not of its kind: there is nothing to validate.
var errUnreadable = errors.New("the document cannot be read")

func init() {
	// As clusters that kubeadm makes, and envtest's.
	capabilities.Setup(true, 0)
}

// request is the context of a write of an object.
func request(kind schema.GroupVersionKind) context.Context {
	namespace := ""
	if rules := strategies[kind.GroupKind()]; rules == nil || rules.NamespaceScoped() {
		namespace = "default"
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: kind.Group, APIVersion: kind.Version, Verb: "create", Namespace: "default",
	})
}

// read makes the object that validation is given: with its defaults, and the metadata that the server sets.
func read(document []byte) (runtime.Object, schema.GroupVersionKind, error) {
	codec := legacyscheme.Codecs.UniversalDecoder()
	var kind schema.GroupVersionKind
	object, found, err := codec.Decode(document, nil, nil)
	if err != nil {
		return nil, kind, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, kind, err
	}
	accessor.SetUID(uid)
	accessor.SetCreationTimestamp(metav1.NewTime(time.Unix(1_700_000_000, 0)))
	rules := strategies[found.GroupKind()]
	if accessor.GetNamespace() == "" && rules != nil && rules.NamespaceScoped() {
		accessor.SetNamespace("default")
	}
	return object, *found, nil
}

// judge validates a create, or an update if there is an old document.
func judge(document, old []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panic: %v", errUnreadable, r)
		}
	}()
	object, kind, err := read(document)
	if err != nil {
		return err
	}
	rules, known := strategies[kind.GroupKind()]
	if !known {
		return fmt.Errorf("%w: kind %s", errUnreadable, kind)
	}
	if old == nil {
		return rest.BeforeCreate(rules, request(kind), object)
	}
	before, _, err := read(old)
	if err != nil {
		return err
	}
	for _, one := range []runtime.Object{object, before} {
		accessor, _ := meta.Accessor(one)
		accessor.SetResourceVersion("1")
	}
	return rest.BeforeUpdate(rules, request(kind), object, before)
}

// stored is the document that the server keeps of a valid one.
func stored(document []byte) ([]byte, error) {
	object, kind, err := read(document)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeCreate(strategies[kind.GroupKind()], request(kind), object); err != nil {
		return nil, err
	}
	return runtime.Encode(legacyscheme.Codecs.LegacyCodec(kind.GroupVersion()), object)
}

// cause is one error of a field.
type cause struct {
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// causes are those of a refusal; an error that is none is the judge's own.
func causes(err error) ([]cause, error) {
	var status *apierrors.StatusError
	if err == nil {
		return []cause{}, nil
	}
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return nil, err
	}
	all := []cause{}
	for _, one := range status.ErrStatus.Details.Causes {
		all = append(all, cause{string(one.Type), one.Field, one.Message})
	}
	return all, nil
}
