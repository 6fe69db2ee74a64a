package actuator

// Seams of the tests of GitLab's notes.

// QuietNote is a text in which no line commands anything.
func QuietNote(text string) string { return quietNote(text) }

// PlainNote takes back what QuietNote did.
func PlainNote(text string) string { return plainNote(text) }
