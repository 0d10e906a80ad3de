// A rival of bench/conversion: the conversion webhook of controller-runtime, on a free port, which it prints.
package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func handler() http.Handler {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(beta.WithKind("Widget"), &CtrlBeta{})
	scheme.AddKnownTypeWithName(stable.WithKind("Widget"), &CtrlHub{})
	mux := http.NewServeMux()
	mux.Handle("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
	return mux
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: PROGRAM CERTIFICATE KEY")
		os.Exit(2)
	}
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	server := &http.Server{Handler: handler(), TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}}
	fmt.Println(listener.Addr())
	fail(server.ServeTLS(listener, "", ""))
}
