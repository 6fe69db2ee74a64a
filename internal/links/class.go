package links

// class is what a byte can be. Bytes of other scripts are of none: they part
// keys, and are parts of words.
type class uint16

const (
	upper class = 1 << iota
	lower
	digit
	blank
	emphasis  // emphasis, and the beginning of a link or of an address: words may meet over it
	comma     // a list goes on
	separator // words on either side do not meet
	bracket   // ends an address
	inName    // can be in the name of a repository
	glued     // binds what is on either side of it into one word

	alphanumeric = upper | lower | digit
	notWord      = blank | emphasis | comma | separator
	notAddress   = blank | bracket
)

//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var classes = makeClasses()

func makeClasses() (table [256]class) {
	set := func(bytes string, is class) {
		for _, c := range []byte(bytes) {
			table[c] |= is
		}
	}
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZ", upper|inName)
	set("abcdefghijklmnopqrstuvwxyz", lower|inName)
	set("0123456789", digit|inName)
	set("-_.", inName)
	for c := range byte(' ') {
		table[c] = separator | bracket
	}
	for _, c := range []byte(" \t\r\n") {
		table[c] = blank
	}
	set("*~[<", emphasis)
	set(",", comma)
	set("(){}]>|;\"'`", separator)
	set("<>()[]{}\"|`", bracket)
	set(`-/\.@=%$+~`, glued)
	return table
}

func is(c byte, kinds class) bool { return classes[c]&kinds != 0 }

// run counts the bytes at the beginning of a text that are of one of some
// kinds.
func run(text string, kinds class) int {
	n := 0
	for n < len(text) && is(text[n], kinds) {
		n++
	}
	return n
}

// until counts the bytes before the first that is of one of some kinds.
func until(text string, kinds class) int {
	n := 0
	for n < len(text) && !is(text[n], kinds) {
		n++
	}
	return n
}
