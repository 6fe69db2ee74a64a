// Package importtest holds the import rules of the layout as a test; it has no
// code of its own.
//
//	schemas                              the standard library only
//	ingest projector relay actuator      never one another, not even by way of a third package
//	projector/{fold*,transition*,watermark,held}.go
//	                                     no context, clock, logger or database (I3)
//	cmd/pawl                             no package that starts things for tests
//
// The linter checks direct imports by the same rules (depguard); the test also
// sees what a package reaches through others.
package importtest
