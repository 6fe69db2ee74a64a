package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
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

// drive posts deliveries over a number of connections, each with one request at
// a time, until count have been answered. A rate of 0 is as fast as they go;
// otherwise the connections together keep to that many a second. Any answer but
// 2xx ends the run.
func drive(addr string, deliveries []delivery, connections, count int, rate float64) (loadResult, error) {
	var sent atomic.Int64
	var failed atomic.Pointer[error]
	latencies := make([][]time.Duration, connections)
	begin := time.Now()
	var group sync.WaitGroup
	for c := range connections {
		group.Go(func() {
			took, err := driveOne(addr, deliveries, &sent, int64(count), rate, begin)
			latencies[c] = took
			if err != nil {
				failed.Store(&err)
				sent.Store(int64(count))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(begin)
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

func driveOne(addr string, deliveries []delivery, sent *atomic.Int64, count int64, rate float64, begin time.Time) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("dial the edge: %w", err)
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	var took []time.Duration
	var buffer []byte
	for {
		n := sent.Add(1)
		if n > count {
			return took, nil
		}
		if rate > 0 {
			time.Sleep(time.Until(begin.Add(time.Duration(float64(n) / rate * float64(time.Second)))))
		}
		d := deliveries[int(n)%len(deliveries)]
		buffer = append(buffer[:0], d.raw...)
		copy(buffer[d.idAt:], uniqueID(n))
		start := time.Now()
		if err := exchange(conn, reader, buffer); err != nil {
			return took, err
		}
		took = append(took, time.Since(start))
	}
}

var runID atomic.Int64

// uniqueID returns a delivery id of idWidth digits that no earlier run used.
func uniqueID(n int64) []byte {
	text := strconv.AppendInt(nil, runID.Load()*10_000_000+n+100_000_000_000, 10)
	return text[:idWidth]
}

func exchange(conn net.Conn, reader *bufio.Reader, request []byte) error {
	if _, err := conn.Write(request); err != nil {
		return fmt.Errorf("post: %w", err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the edge answered %s: %s", response.Status, body)
	}
	return nil
}

func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(float64(len(sorted))*p), len(sorted)-1)]
}
