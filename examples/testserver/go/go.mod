module github.com/fairway/fairway/examples/testserver/go

go 1.23
