package schemas

import (
	"embed"
	"io/fs"
)

//go:embed transition.v1.schema.json mutation.v1.schema.json record.v1.schema.json monitor.v1.schema.json asyncapi.yaml
var files embed.FS

// The names of the files that Files holds.
const (
	FileTransition = "transition.v1.schema.json"
	FileMutation   = "mutation.v1.schema.json"
	FileRecord     = "record.v1.schema.json"
	FileMonitor    = "monitor.v1.schema.json"
	FileAsyncAPI   = "asyncapi.yaml"
)

// Files returns the JSON Schemas of what is published and of what home-made monitors
// send, and the AsyncAPI document that says on which topic, under which key and with
// which headers.
func Files() fs.FS { return files }
