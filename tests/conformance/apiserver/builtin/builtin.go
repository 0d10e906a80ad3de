// SPDX-License-Identifier: Apache-2.0

// Package builtin names the group versions of Kubernetes whose kinds the embedded API server serves.
package builtin

import (
	"reflect"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Meta is where the kinds that belong to no group are kept: DeleteOptions, Status, ...
var Meta = schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}

var scheme = runtime.NewScheme()

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, certificatesv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme, flowcontrolv1.AddToScheme,
		networkingv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme, resourcev1.AddToScheme,
		schedulingv1.AddToScheme, storagev1.AddToScheme, storagemigrationv1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	metav1.AddToGroupVersion(scheme, Meta)
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err)
	}
	scheme.AddKnownTypes(Meta, &metav1.Status{})
}

// Parts are group versions of which no kind is served, but kinds of others have parts, by table.
var Parts = map[string]schema.GroupVersion{"scheduling/v1alpha3": schedulingv1alpha3.SchemeGroupVersion}

// Scheme knows all kinds of the group versions.
func Scheme() *runtime.Scheme { return scheme }

// GroupVersions are those with a table, sorted.
func GroupVersions() []schema.GroupVersion {
	var all []schema.GroupVersion
	for _, gv := range scheme.PrioritizedVersionsAllGroups() {
		if gv.Version != runtime.APIVersionInternal && gv != Meta {
			all = append(all, gv)
		}
	}
	return append(all, Meta)
}

// The kinds of Meta that are read in requests or written in answers.
var metaKinds = map[string]bool{
	"CreateOptions": true, "DeleteOptions": true, "GetOptions": true, "ListOptions": true, "PartialObjectMetadata": true,
	"PartialObjectMetadataList": true, "PatchOptions": true, "Status": true, "UpdateOptions": true,
}

// IsKindOf tells the kinds of a group version from those of Meta that each group has too.
func IsKindOf(gv schema.GroupVersion, kind string, t reflect.Type) bool {
	if gv == Meta {
		return metaKinds[kind]
	}
	return t.PkgPath() != reflect.TypeOf(metav1.ObjectMeta{}).PkgPath() || kind == "List"
}

// Table is the name of the table of a group version, which is that of its Go package: "core/v1".
func Table(gv schema.GroupVersion) string {
	group := strings.Split(gv.Group, ".")[0]
	switch {
	case group == "":
		group = "core"
	case gv.Group == "rbac.authorization.k8s.io":
		group = "rbac"
	}
	return group + "/" + gv.Version
}
