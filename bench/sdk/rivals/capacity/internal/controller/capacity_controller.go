// SPDX-License-Identifier: Apache-2.0

// Package controller makes the cluster what each Capacity asks for.
package controller

import (
	"context"
	"errors"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	capacityv1 "example.com/capacity/api/v1"
)

// CapacityReconciler keeps the settings of each Capacity in a ConfigMap.
type CapacityReconciler struct {
	client.Client
	Scheme *runtime.Scheme
	events events.EventRecorder
}

// +kubebuilder:rbac:groups=capacity.example.com,resources=capacities,verbs=get;list;watch
// +kubebuilder:rbac:groups=capacity.example.com,resources=capacities/status,verbs=update;patch
// +kubebuilder:rbac:groups=capacity.example.com,resources=capacities/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// settingsOf returns the ConfigMap that the object asks for.
func settingsOf(object *capacityv1.Capacity) *corev1ac.ConfigMapApplyConfiguration {
	replicas := int32(1)
	if object.Spec.Replicas != nil {
		replicas = *object.Spec.Replicas
	}
	owner := metav1ac.OwnerReference().
		WithAPIVersion(capacityv1.GroupVersion.String()).WithKind("Capacity").WithName(object.Name).WithUID(object.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	return corev1ac.ConfigMap(object.Name+"-settings", object.Namespace).
		WithOwnerReferences(owner).
		WithData(map[string]string{"replicas": strconv.Itoa(int(replicas))})
}

// Reconcile applies the settings of an object, and reports the result in its status.
func (r *CapacityReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &capacityv1.Capacity{}
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// The settings go with their owner.
	if !object.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	settings := settingsOf(object)
	// Without force: if somebody else has set a field, the condition says who.
	refused := r.Apply(ctx, settings, client.FieldOwner("capacity"))
	// The server was not reached, so the status cannot be written either.
	if status := apierrors.APIStatus(nil); refused != nil && !errors.As(refused, &status) {
		return ctrl.Result{}, refused
	}
	ready := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "SettingsApplied", ObservedGeneration: object.Generation,
		Message: "the settings are in " + object.Namespace + "/" + *settings.Name,
	}
	if refused != nil {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "SettingsRefused", refused.Error()
		r.events.Eventf(object, nil, corev1.EventTypeWarning, ready.Reason, "Apply", "%s", refused.Error())
	}
	before := object.DeepCopy()
	if meta.SetStatusCondition(&object.Status.Conditions, ready) {
		if err := r.Status().Patch(ctx, object, client.MergeFrom(before)); err != nil {
			return ctrl.Result{}, errors.Join(refused, client.IgnoreNotFound(err))
		}
	}
	return ctrl.Result{}, refused
}

// SetupWithManager adds the controller to a manager.
func (r *CapacityReconciler) SetupWithManager(manager ctrl.Manager) error {
	r.events = manager.GetEventRecorder("capacity")
	return ctrl.NewControllerManagedBy(manager).
		For(&capacityv1.Capacity{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Named("capacity").
		Complete(r)
}
