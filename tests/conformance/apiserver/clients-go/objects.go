// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

func typedObjects(ctx context.Context, s *suite) error {
	maps := s.typed.CoreV1().ConfigMaps(space)
	one := configMap("typed", nil)
	one.Data = map[string]string{"a": "1"}
	one.BinaryData = map[string][]byte{"b": {0, 255}}
	made, err := maps.Create(ctx, one, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(made.UID != "" && len(made.BinaryData["b"]) == 2 && made.BinaryData["b"][1] == 255, "%v", made); err != nil {
		return err
	}
	_, err = maps.Create(ctx, one, metav1.CreateOptions{})
	if err := refused(err, apierrors.IsAlreadyExists); err != nil {
		return err
	}
	named, err := s.typed.CoreV1().Secrets(space).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "s-"}, StringData: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(string(named.Data["k"]) == "v" && named.Type == corev1.SecretTypeOpaque, "%v", named); err != nil {
		return err
	}
	patched, err := maps.Patch(ctx, "typed", types.JSONPatchType, []byte(`[{"op":"add","path":"/data/c","value":"3"}]`),
		metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := expect(patched.Data["c"] == "3", "%v", patched.Data); err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("dry", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
	if err := refused(err, apierrors.IsNotFound); err != nil {
		return err
	}
	wrong := types.UID("another")
	err = maps.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if err := refused(err, apierrors.IsConflict); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "typed", *metav1.NewPreconditionDeleteOptions(string(made.UID))); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "typed", metav1.GetOptions{})
	return refused(err, apierrors.IsNotFound)
}

func deployments(ctx context.Context, s *suite) error {
	all := s.typed.AppsV1().Deployments(space)
	labels := map[string]string{"app": "web"}
	made, err := all.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(*made.Spec.Replicas == 1 && made.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyAlways,
		"defaults are missing: %v", made.Spec); err != nil {
		return err
	}
	scale, err := all.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 7
	if _, err := all.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		return err
	}
	now, err := all.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect(*now.Spec.Replicas == 7 && now.Generation == 2, "%v", now); err != nil {
		return err
	}
	now.Status.Replicas = 7
	now.Spec.Paused = true
	stated, err := all.UpdateStatus(ctx, now, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := expect(stated.Status.Replicas == 7 && !stated.Spec.Paused && stated.Generation == 2, "%v", stated); err != nil {
		return err
	}
	patched, err := all.Patch(ctx, "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"side","image":"s"}]}}}}`),
		metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return expect(len(patched.Spec.Template.Spec.Containers) == 2, "%v", patched.Spec.Template.Spec.Containers)
}

func applies(ctx context.Context, s *suite) error {
	all := s.typed.AppsV1().Deployments(space)
	wanted := func(image string) *appsapply.DeploymentApplyConfiguration {
		labels := map[string]string{"app": "applied"}
		return appsapply.Deployment("applied", space).WithSpec(appsapply.DeploymentSpec().
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().
				WithContainers(coreapply.Container().WithName("web").WithImage(image)))))
	}
	if _, err := all.Apply(ctx, wanted("web:1"), metav1.ApplyOptions{FieldManager: manager}); err != nil {
		return err
	}
	_, err := all.Apply(ctx, wanted("web:2"), metav1.ApplyOptions{FieldManager: "another"})
	if err := refused(err, apierrors.IsConflict); err != nil {
		return err
	}
	taken, err := all.Apply(ctx, wanted("web:2"), metav1.ApplyOptions{FieldManager: "another", Force: true})
	if err != nil {
		return err
	}
	// What one has applied, and nothing of the others.
	mine, err := appsapply.ExtractDeployment(taken, "another")
	if err != nil {
		return err
	}
	return expect(mine.Spec != nil && mine.Spec.Replicas == nil && *mine.Spec.Template.Spec.Containers[0].Image == "web:2",
		"managedFields: %v", taken.ManagedFields)
}

func pages(ctx context.Context, s *suite) error {
	maps := s.typed.CoreV1().ConfigMaps(space)
	labels := map[string]string{"set": "pages"}
	for i := range 11 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("page-%02d", i), labels), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	lists := 0
	all := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		lists++
		return maps.List(ctx, options)
	})
	all.PageSize = 4
	seen := 0
	if err := all.EachListItem(ctx, metav1.ListOptions{LabelSelector: "set=pages"}, func(runtime.Object) error {
		seen++
		return nil
	}); err != nil {
		return err
	}
	if err := expect(seen == 11 && lists == 3, "%d objects in %d lists", seen, lists); err != nil {
		return err
	}
	return maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "set=pages"})
}

func conflicts(ctx context.Context, s *suite) error {
	maps := s.typed.CoreV1().ConfigMaps(space)
	old, err := maps.Create(ctx, configMap("contended", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	newer := old.DeepCopy()
	newer.Data = map[string]string{"by": "another"}
	if _, err := maps.Update(ctx, newer, metav1.UpdateOptions{}); err != nil {
		return err
	}
	attempts := 0
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		attempts++
		if attempts > 1 {
			if old, err = maps.Get(ctx, "contended", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		old.Labels = map[string]string{"seen": "yes"}
		_, err := maps.Update(ctx, old, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	return expect(attempts == 2, "%d attempts", attempts)
}

func reviews(ctx context.Context, s *suite) error {
	if _, err := s.typed.CoreV1().ServiceAccounts(space).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	token, err := s.typed.CoreV1().ServiceAccounts(space).CreateToken(ctx, "robot", &authenticationv1.TokenRequest{},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	who, err := s.typed.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	user := "system:serviceaccount:" + space + ":robot"
	if err := expect(who.Status.Authenticated && who.Status.User.Username == user, "%v", who.Status); err != nil {
		return err
	}
	may, err := s.typed.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: space, Verb: "get", Resource: "secrets"}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(!may.Status.Allowed, "it is allowed: %v", may.Status); err != nil {
		return err
	}
	// One store: an Event of the core group is one of events.k8s.io, too.
	made, err := s.typed.CoreV1().Events(space).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "told"}, Reason: "Told", Type: "Normal",
		InvolvedObject: corev1.ObjectReference{Kind: "ConfigMap", Namespace: space, Name: "x"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	same, err := s.typed.EventsV1().Events(space).Get(ctx, "told", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return expect(same.UID == made.UID && same.Reason == "Told" && same.Regarding.Name == "x", "%v", same)
}

func discovers(_ context.Context, s *suite) error {
	groups, resources, err := s.typed.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if err := expect(len(groups) > 15 && len(resources) > 15, "%d groups", len(groups)); err != nil {
		return err
	}
	preferred, err := discovery.ServerPreferredNamespacedResources(s.typed.Discovery())
	if err != nil {
		return err
	}
	if err := expect(len(preferred) > 5, "%d group versions", len(preferred)); err != nil {
		return err
	}
	paths, err := s.typed.Discovery().OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	apps, there := paths["apis/apps/v1"]
	if !there {
		return fmt.Errorf("no OpenAPI of apps/v1")
	}
	document, err := apps.Schema(runtime.ContentTypeJSON)
	if err != nil {
		return err
	}
	return expect(len(document) > 10000, "%d bytes", len(document))
}
