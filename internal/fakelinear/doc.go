// Package fakelinear is Linear's GraphQL API for tests, as far as comments of issues
// need it. Its schema is an excerpt with the names and types of Linear's own
// (packages/sdk/src/schema.graphql), and graph-gophers/graphql-go holds every query
// to it: a client cannot ask for what is not there.
//
// It keeps issues and comments, tells of each change by a webhook body in Linear's
// form, and lets calls fail before or after they are applied. Errors come as
// Linear's do: with status 200, or 400 where Config says so, and errors[] with
// extensions.code.
package fakelinear
