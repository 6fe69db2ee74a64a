package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// benchSecret signs the load's deliveries.
const benchSecret = "a secret for the benchmark only"

// delivery is one signed HTTP request, ready to be written to a connection: the
// load must not spend the CPU that is measured. The delivery id stands at a
// fixed place and is made unique as it is sent.
type delivery struct {
	raw  []byte
	idAt int
}

const idWidth = 12

// newDelivery builds the request that posts a body to /webhooks/github.
func newDelivery(event string, body []byte) delivery {
	mac := hmac.New(sha256.New, []byte(benchSecret))
	mac.Write(body)
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /webhooks/github HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n")
	fmt.Fprintf(&b, "X-GitHub-Event: %s\r\nX-Hub-Signature-256: sha256=%s\r\n", event, hex.EncodeToString(mac.Sum(nil)))
	fmt.Fprintf(&b, "Content-Length: %d\r\nX-GitHub-Delivery: ", len(body))
	idAt := b.Len()
	fmt.Fprintf(&b, "%0*d\r\n\r\n", idWidth, 0)
	b.Write(body)
	return delivery{raw: b.Bytes(), idAt: idAt}
}

// loadResult is what a run of the load came to.
type loadResult struct {
	perSecond float64
	p50, p99  time.Duration
}

// loadRun posts deliveries over a number of connections, each with one request
// at a time, until count have been answered.
type loadRun struct {
	addr        string
	deliveries  []delivery
	connections int
	count       int
	// rate is how many a second the connections keep to, together; 0 is as fast
	// as they go. With a rate, a latency counts from when the delivery was due,
	// so that a slow answer does not hide the wait of those behind it.
	rate float64
	// answered, if set, is told of each answer. It is called concurrently.
	answered func(n int64, due time.Time, answer []byte)

	run   int64
	begin time.Time
	sent  atomic.Int64
}

var runs atomic.Int64

// drive runs the load to its end. Any answer but a 2xx ends it.
func (l *loadRun) drive(ctx context.Context) (loadResult, error) {
	var failed atomic.Pointer[error]
	l.run, l.begin = runs.Add(1), time.Now()
	latencies := make([][]time.Duration, l.connections)
	var group sync.WaitGroup
	for c := range l.connections {
		group.Go(func() {
			took, err := l.driveOne(ctx)
			latencies[c] = took
			if err != nil {
				failed.Store(&err)
				l.sent.Store(int64(l.count))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(l.begin)
	if err := failed.Load(); err != nil {
		return loadResult{}, *err
	}
	all := slices.Concat(latencies...)
	return loadResult{
		perSecond: float64(len(all)) / elapsed.Seconds(),
		p50:       percentile(all, 0.50),
		p99:       percentile(all, 0.99),
	}, nil
}

func (l *loadRun) driveOne(ctx context.Context) ([]time.Duration, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return nil, fmt.Errorf("dial the edge: %w", err)
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	var took []time.Duration
	var request, answer []byte
	for {
		n := l.sent.Add(1)
		if n > int64(l.count) {
			return took, nil
		}
		due := l.await(n)
		d := l.deliveries[int(n-1)%len(l.deliveries)]
		request = append(request[:0], d.raw...)
		copy(request[d.idAt:], l.deliveryID(n))
		if answer, err = exchange(conn, reader, request, answer[:0]); err != nil {
			return took, err
		}
		took = append(took, time.Since(due))
		if l.answered != nil {
			l.answered(n, due, answer)
		}
	}
}

// await sleeps until a delivery is due, and returns when that is.
func (l *loadRun) await(n int64) time.Time {
	if l.rate == 0 {
		return time.Now()
	}
	due := l.begin.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
	time.Sleep(time.Until(due))
	return due
}

// deliveryID returns an id of idWidth digits that no other delivery of this
// process has.
func (l *loadRun) deliveryID(n int64) string {
	return strconv.FormatInt(100_000_000_000+l.run*10_000_000+n, 10)[:idWidth]
}

// exchange writes a request and reads its answer's body into answer. It parses
// no more than it must: client and edge share the machine.
func exchange(conn net.Conn, reader *bufio.Reader, request, answer []byte) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, fmt.Errorf("post: %w", err)
	}
	status, length := "", 0
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return nil, fmt.Errorf("read the answer: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if status == "" {
			status = string(line)
			continue
		}
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return nil, fmt.Errorf("read the answer: %w", err)
			}
		}
	}
	answer = append(answer, make([]byte, length)...)
	if _, err := io.ReadFull(reader, answer); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if !strings.HasPrefix(status, "HTTP/1.1 2") {
		return nil, fmt.Errorf("the edge answered %s: %s", status, answer)
	}
	return answer, nil
}

func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(float64(len(sorted))*p), len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median of figures that were measured in turns.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
