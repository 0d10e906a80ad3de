// SPDX-License-Identifier: Apache-2.0

// A rival of bench/conversion: the conversion webhook of controller-runtime.
package main

import (
	"net/http"

	"fairway/bench/conversion/rivals/widgets"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

type stable struct{ widgets.Widget }
type beta struct{ widgets.WidgetBeta }

func (w *stable) Hub() {}
func (w *stable) DeepCopyObject() runtime.Object {
	return &stable{*w.Widget.DeepCopyObject().(*widgets.Widget)}
}
func (w *beta) DeepCopyObject() runtime.Object {
	return &beta{*w.WidgetBeta.DeepCopyObject().(*widgets.WidgetBeta)}
}
func (w *beta) ConvertTo(hub ctrlconversion.Hub) error {
	w.ToHub(&hub.(*stable).Widget)
	return nil
}
func (w *beta) ConvertFrom(hub ctrlconversion.Hub) error {
	w.FromHub(&hub.(*stable).Widget)
	return nil
}

func main() {
	kind := schema.GroupVersionKind{Group: widgets.Group, Version: "v1", Kind: "Widget"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(kind, &stable{})
	kind.Version = "v1beta1"
	scheme.AddKnownTypeWithName(kind, &beta{})
	mux := http.NewServeMux()
	mux.Handle("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
	widgets.Serve(mux)
}
