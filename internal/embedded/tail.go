package embedded

import "sync"

// tail keeps the last bytes of a child's output, for the error that says why it
// ended. A server that runs for months must not fill the memory with its log.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// tailLimit is how much of the output is kept.
const tailLimit = 16 << 10

// Write keeps the end of what was written so far.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - tailLimit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(text), nil
}

// String returns the kept end.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
