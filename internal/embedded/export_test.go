package embedded

// Seams for tests.
var (
	ParseMajor = parseMajor
	Fetch      = fetch
)
