// SPDX-License-Identifier: Apache-2.0

package widgets

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
)

// Fail says what is wrong and ends the program.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

// Serve answers by HTTPS on a free port, which it prints. The program's arguments are certificate and key.
func Serve(handler http.Handler) {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: PROGRAM CERTIFICATE KEY")
		os.Exit(2)
	}
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		Fail(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		Fail(err)
	}
	server := &http.Server{Handler: handler, TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}}
	fmt.Println(listener.Addr())
	Fail(server.ServeTLS(listener, "", ""))
}
