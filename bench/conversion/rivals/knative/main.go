// SPDX-License-Identifier: Apache-2.0

// A rival of bench/conversion: the conversion webhook of knative.dev/pkg, with its log off.
package main

import (
	"context"
	"os"

	"fairway/bench/conversion/rivals/widgets"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"knative.dev/pkg/apis"
	"knative.dev/pkg/injection"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/webhook"
	"knative.dev/pkg/webhook/resourcesemantics/conversion"
)

type stable struct{ widgets.Widget }
type beta struct{ widgets.WidgetBeta }

func (w *stable) DeepCopyObject() runtime.Object {
	return &stable{*w.Widget.DeepCopyObject().(*widgets.Widget)}
}
func (w *stable) ConvertTo(_ context.Context, to apis.Convertible) error {
	to.(*beta).FromHub(&w.Widget)
	return nil
}
func (w *stable) ConvertFrom(_ context.Context, from apis.Convertible) error {
	from.(*beta).ToHub(&w.Widget)
	return nil
}

func (w *beta) DeepCopyObject() runtime.Object {
	return &beta{*w.WidgetBeta.DeepCopyObject().(*widgets.WidgetBeta)}
}
func (w *beta) ConvertTo(ctx context.Context, to apis.Convertible) error {
	return to.ConvertFrom(ctx, w)
}
func (w *beta) ConvertFrom(ctx context.Context, from apis.Convertible) error {
	return from.ConvertTo(ctx, w)
}

func main() {
	os.Setenv("SYSTEM_NAMESPACE", "bench")
	ctx := logging.WithLogger(context.Background(), zap.NewNop().Sugar())
	ctx = webhook.WithOptions(ctx, webhook.Options{ServiceName: "bench"})
	// It looks after its Secret and its CRDs by informers, which are never started here: no server is asked.
	ctx, _ = injection.Default.SetupInformers(ctx, &rest.Config{Host: "http://127.0.0.1:1"})
	kinds := map[schema.GroupKind]conversion.GroupKindConversion{
		{Group: widgets.Group, Kind: "Widget"}: {
			DefinitionName: "widgets." + widgets.Group,
			HubVersion:     "v1",
			Zygotes:        map[string]conversion.ConvertibleObject{"v1": &stable{}, "v1beta1": &beta{}},
		}}
	controller := conversion.NewConversionController(ctx, "/convert", kinds, nil)
	handler, err := webhook.New(ctx, []interface{}{controller.Reconciler})
	if err != nil {
		widgets.Fail(err)
	}
	widgets.Serve(handler)
}
