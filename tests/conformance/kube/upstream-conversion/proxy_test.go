// SPDX-License-Identifier: Apache-2.0

//go:build upstream

// The integration tests of conversion of k8s.io/apiextensions-apiserver, with a webhook of ours in place of their
// converters. The tests themselves, conversion_test.go and webhook.go, are those of the module that go.mod names: an
// overlay puts them beside this file while it is built (scripts/dev/conformance.sh, which has the tag set too). In their
// webhook.go the two functions that are here instead have "upstream" before their names. After a change of go.mod:
// go mod tidy with the same overlay, which is kept in .cache/kubernetes.
package conversion

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
)

// Where our webhook converts as the function of the tests does.
var ours = map[string]string{
	"noopConverter":                      "/noop",
	"nontrivialConverter":                "/nontrivial",
	"getUnexpectedVersionCheckConverter": "/nontrivial",
	"metadataMutatingConverter":          "/metadata-mutating",
	"failureV1ResponseConverter":         "/failure",
	"failureV1Beta1ResponseConverter":    "/failure",
}

// What answers as no webhook of ours ever would: with another uid, or without the objects. So does a handler without
// functions, which knows no version of the protocol. The API server is what these try.
var wrongOnPurpose = map[string]bool{
	"uidMutatingConverter":          true,
	"emptyV1ResponseConverter":      true,
	"emptyV1Beta1ResponseConverter": true,
}

// pathOf gives the path of our webhook for a converter of the tests; "" leaves it to Go.
func pathOf(t *testing.T, converter any) string {
	value := reflect.ValueOf(converter)
	if value.IsNil() {
		return ""
	}
	// "MODULE/upstream-conversion.noopConverter"; for one made by a function "….failureV1ResponseConverter.func1", with
	// the caller before it where that function was inlined.
	name := goruntime.FuncForPC(value.Pointer()).Name()
	for _, part := range strings.Split(name[strings.LastIndex(name, "/")+1:], ".") {
		if path, known := ours[part]; known {
			return path
		}
		if wrongOnPurpose[part] {
			return ""
		}
	}
	t.Fatalf("the converter %s is new: say in proxy_test.go which path of our webhook stands for it", name)
	return ""
}

func NewObjectConverterWebhookHandler(t *testing.T, converter ObjectConverterFunc) http.Handler {
	path := pathOf(t, converter)
	if path == "" {
		return upstreamNewObjectConverterWebhookHandler(t, converter)
	}
	return proxy(t, path, func(request, reply *apiextensionsv1.ConversionReview) error {
		return compare(converter, request.Request, reply.Response)
	})
}

func NewReviewWebhookHandler(t *testing.T, v1beta1 V1Beta1ReviewConverterFunc, v1 V1ReviewConverterFunc) http.Handler {
	path := pathOf(t, v1)
	if path == "" {
		path = pathOf(t, v1beta1)
	}
	if path == "" {
		return upstreamNewReviewWebhookHandler(t, v1beta1, v1)
	}
	return proxy(t, path, func(request, reply *apiextensionsv1.ConversionReview) error {
		want := ""
		if request.APIVersion == apiextensionsv1.SchemeGroupVersion.String() {
			theirs, err := v1(request)
			if err != nil {
				return err
			}
			want = theirs.Response.Result.Message
		} else {
			theirs, err := v1beta1(&apiextensionsv1beta1.ConversionReview{
				Request: &apiextensionsv1beta1.ConversionRequest{UID: request.Request.UID}})
			if err != nil {
				return err
			}
			want = theirs.Response.Result.Message
		}
		if reply.Response.Result.Status != "Failure" || !strings.Contains(reply.Response.Result.Message, want) {
			return fmt.Errorf("expected a failure with %q, got %+v", want, reply.Response.Result)
		}
		return nil
	})
}

var transport = sync.OnceValues(func() (http.RoundTripper, error) {
	authority, err := os.ReadFile(os.Getenv("FAIRWAY_WEBHOOK_CA"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("no certificate in %s", os.Getenv("FAIRWAY_WEBHOOK_CA"))
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 32}, nil
})

type requestBody struct{}

// proxy hands reviews on to our webhook, and its replies back as they are, once `check` has looked at them.
func proxy(t *testing.T, path string, check func(request, reply *apiextensionsv1.ConversionReview) error) http.Handler {
	target, err := url.Parse(os.Getenv("FAIRWAY_WEBHOOK") + path)
	if err != nil || target.Host == "" {
		t.Fatalf("FAIRWAY_WEBHOOK is no address of our webhook: %q", os.Getenv("FAIRWAY_WEBHOOK"))
	}
	through, err := transport()
	if err != nil {
		t.Fatal(err)
	}
	handler := &httputil.ReverseProxy{
		Transport: through,
		Rewrite: func(request *httputil.ProxyRequest) {
			address := *target
			request.Out.URL, request.Out.Host = &address, target.Host
		},
		ModifyResponse: func(response *http.Response) error {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(body))
			if err != nil {
				return err
			}
			asked := response.Request.Context().Value(requestBody{}).([]byte)
			if err := checkReply(asked, response.StatusCode, body, check); err != nil {
				t.Errorf("our webhook's reply at %s: %v\nrequest: %s\nreply: %s", path, err, asked, body)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			// The API server gives a call up when its own client goes.
			if r.Context().Err() == nil {
				t.Errorf("our webhook at %s: %v", path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), requestBody{}, body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	})
}

// checkReply decodes both. The two versions of the protocol look the same.
func checkReply(asked []byte, status int, answered []byte,
	check func(request, reply *apiextensionsv1.ConversionReview) error) error {
	var request, reply apiextensionsv1.ConversionReview
	if err := json.Unmarshal(asked, &request); err != nil {
		return err
	}
	if err := json.Unmarshal(answered, &reply); err != nil {
		return err
	}
	switch {
	case status != http.StatusOK:
		return fmt.Errorf("the HTTP status is %d", status)
	case reply.TypeMeta != request.TypeMeta:
		return fmt.Errorf("it is a %s", reply.GroupVersionKind())
	case reply.Response == nil || reply.Response.UID != request.Request.UID:
		return fmt.Errorf("it has another uid, or none")
	}
	return check(&request, &reply)
}

// compare holds our objects against what the converter of the tests makes of the same.
func compare(converter ObjectConverterFunc, request *apiextensionsv1.ConversionRequest,
	reply *apiextensionsv1.ConversionResponse) error {
	if reply.Result.Status != "Success" || len(reply.ConvertedObjects) != len(request.Objects) {
		return fmt.Errorf("%d objects of %d, %+v", len(reply.ConvertedObjects), len(request.Objects), reply.Result)
	}
	for i, object := range request.Objects {
		theirs, err := converter(request.DesiredAPIVersion, object)
		if err != nil {
			return err
		}
		before, want, got := fields(object.Raw), fields(theirs.Raw), fields(reply.ConvertedObjects[i].Raw)
		// Where a field is not there they write null for it in its new place.
		for name, value := range want {
			if value == nil {
				delete(want, name)
			}
		}
		want["metadata"] = allowed(before["metadata"], want["metadata"])
		if !reflect.DeepEqual(want, got) {
			return fmt.Errorf("object %d: expected %v, got %v", i, want, got)
		}
	}
	return nil
}

func fields(document []byte) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	decoded := map[string]any{}
	if err := decoder.Decode(&decoded); err != nil {
		return nil
	}
	return decoded
}

// allowed is the metadata of before with the labels and annotations of after: an API server takes no more than these,
// and our webhook changes no more.
func allowed(before, after any) any {
	from, isObject := after.(map[string]any)
	was, wasObject := before.(map[string]any)
	if !isObject || !wasObject {
		return before
	}
	result := map[string]any{}
	for name, value := range was {
		result[name] = value
	}
	for _, name := range []string{"labels", "annotations"} {
		delete(result, name)
		if value, there := from[name]; there {
			result[name] = value
		}
	}
	return result
}
