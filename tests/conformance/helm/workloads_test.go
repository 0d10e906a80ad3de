// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// runWorkloads does until the end of the test what nodes and the controllers of workloads do, which neither server has: it says in the
// statuses of a namespace's objects that their containers run, or have ended.
func (c *cluster) runWorkloads(t *testing.T, space string) {
	t.Helper()
	for resource, status := range map[schema.GroupVersionResource]func(*unstructured.Unstructured) object{
		{Group: "batch", Version: "v1", Resource: "jobs"}:       jobStatus,
		{Group: "apps", Version: "v1", Resource: "deployments"}: deploymentStatus,
		{Version: "v1", Resource: "pods"}:                       podStatus,
	} {
		ended := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(func() { cancel(); <-ended })
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				c.followWorkloads(ctx, t, resource, space, status)
			}
		}()
	}
}

// followWorkloads writes the status of each object whose status is another one, until the watch ends.
func (c *cluster) followWorkloads(ctx context.Context, t *testing.T, resource schema.GroupVersionResource, space string,
	status func(*unstructured.Unstructured) object) {
	at := c.objects.Resource(resource).Namespace(space)
	watch, err := at.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	defer watch.Stop()
	for event := range watch.ResultChan() {
		found, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == "DELETED" || event.Type == "ERROR" {
			continue
		}
		wanted := status(found)
		if wanted == nil {
			continue
		}
		found.Object["status"] = wanted
		_, err := at.UpdateStatus(ctx, found, metav1.UpdateOptions{})
		// Whatever has changed it meanwhile is an event of its own.
		if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			t.Errorf("writing the status of %s %s: %v", resource.Resource, found.GetName(), err)
		}
	}
}

func condition(kind, reason string) object {
	now := time.Now().UTC().Format(time.RFC3339)
	return object{"type": kind, "status": "True", "reason": reason, "message": reason, "lastProbeTime": now, "lastTransitionTime": now}
}

// jobStatus returns the status of a Job that has ended, or nil if it has ended before.
func jobStatus(job *unstructured.Unstructured) object {
	if conditions, _, _ := unstructured.NestedSlice(job.Object, "status", "conditions"); len(conditions) > 0 {
		return nil
	}
	now := time.Now().UTC().Format(time.RFC3339)
	if job.GetAnnotations()["fails"] == "true" {
		return object{"startTime": now, "failed": int64(1),
			"conditions": []any{condition("FailureTarget", "BackoffLimitExceeded"), condition("Failed", "BackoffLimitExceeded")}}
	}
	return object{"startTime": now, "completionTime": now, "succeeded": int64(1),
		"conditions": []any{condition("SuccessCriteriaMet", "CompletionsReached"), condition("Complete", "CompletionsReached")}}
}

// deploymentStatus returns the status of a Deployment whose Pods all run, or nil if it has that, or is to be stuck.
func deploymentStatus(deployment *unstructured.Unstructured) object {
	observed, _, _ := unstructured.NestedInt64(deployment.Object, "status", "observedGeneration")
	if observed == deployment.GetGeneration() {
		return nil
	}
	replicas, _, _ := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
	ready := replicas
	if deployment.GetAnnotations()["stuck"] == "true" {
		ready = 0
	}
	progressing, available := condition("Progressing", "NewReplicaSetAvailable"), condition("Available", "MinimumReplicasAvailable")
	if ready == 0 {
		progressing["reason"], available["status"] = "ReplicaSetUpdated", "False"
	}
	for _, one := range []object{progressing, available} {
		one["lastUpdateTime"] = one["lastProbeTime"]
		delete(one, "lastProbeTime")
	}
	return object{"observedGeneration": deployment.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas,
		"readyReplicas": ready, "availableReplicas": ready, "unavailableReplicas": replicas - ready,
		"conditions": []any{progressing, available}}
}

// podStatus returns the status of a Pod whose containers have ended well, or nil if it has that.
func podStatus(pod *unstructured.Unstructured) object {
	if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase == "Succeeded" {
		return nil
	}
	return object{"phase": "Succeeded"}
}
