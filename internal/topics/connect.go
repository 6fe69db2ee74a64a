package topics

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Mechanism is a way to authenticate with the brokers.
type Mechanism string

// The mechanisms; the empty one authenticates nobody.
const (
	NoSASL      Mechanism = ""
	Plain       Mechanism = "plain"
	ScramSHA256 Mechanism = "scram-sha-256"
	ScramSHA512 Mechanism = "scram-sha-512"
)

// Connection says how to reach the brokers.
type Connection struct {
	// Brokers are the addresses to start from, host:port.
	Brokers []string
	// ClientID names the program in the brokers' logs and quotas. Default pawl.
	ClientID string
	// TLS encrypts, and checks the brokers' certificates by the system's roots.
	TLS  bool
	SASL SASL
}

// SASL authenticates with a user and a password.
type SASL struct {
	Mechanism Mechanism
	User      string
	Password  string
}

// Validate reports all faults at once. It never names the password.
func (c Connection) Validate() error {
	var faults []error
	if len(c.Brokers) == 0 {
		faults = append(faults, errors.New("kafka: no broker is given"))
	}
	for _, broker := range c.Brokers {
		if host, port, err := net.SplitHostPort(broker); err != nil || host == "" || port == "" {
			faults = append(faults, fmt.Errorf("kafka: broker %q, want host:port", broker))
		}
	}
	if c.SASL.Mechanism != NoSASL && (c.SASL.User == "" || c.SASL.Password == "") {
		faults = append(faults, fmt.Errorf("kafka: sasl %s needs a user and a password", c.SASL.Mechanism))
	}
	if _, err := c.SASL.mechanism(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	switch s.Mechanism {
	case NoSASL:
		return nil, nil
	case Plain:
		return plain.Mechanism{Username: s.User, Password: s.Password}, nil
	case ScramSHA256:
		return prepared(scram.Mechanism(scram.SHA256, s.User, s.Password))
	case ScramSHA512:
		return prepared(scram.Mechanism(scram.SHA512, s.User, s.Password))
	}
	return nil, fmt.Errorf("kafka: sasl mechanism %q, want %s, %s or %s", s.Mechanism, Plain, ScramSHA256, ScramSHA512)
}

// prepared rewords the error of a user or password that SCRAM cannot carry:
// kafka-go's own may quote it.
func prepared(mechanism sasl.Mechanism, err error) (sasl.Mechanism, error) {
	if err != nil {
		return nil, errors.New("kafka: sasl: the user or the password has characters that scram forbids")
	}
	return mechanism, nil
}

// Timeouts of every connection.
const (
	dialTimeout = 3 * time.Second
	// requestTimeout bounds one request of the Client.
	requestTimeout = 10 * time.Second
	// metadataTTL bounds how long a moved leader or a new partition goes
	// unnoticed: kafka-go asks for them no sooner, not even after
	// NotLeaderForPartition.
	metadataTTL = 2 * time.Second
)

// Cluster is what kafka-go's two halves need to reach one cluster: the Client
// for produce, fetch and administration, the Dialer for consumer groups.
type Cluster struct {
	Brokers []string
	Client  *kafka.Client
	Dialer  *kafka.Dialer

	transport *kafka.Transport
}

// Connect returns a Cluster. It calls nobody: the first request does. Close
// must be called.
func Connect(c Connection) (*Cluster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	mechanism, err := c.SASL.mechanism()
	if err != nil {
		return nil, err // unreachable: Validate has asked for it too
	}
	var config *tls.Config
	if c.TLS {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	id := cmp.Or(c.ClientID, "pawl")
	transport := &kafka.Transport{
		ClientID: id, DialTimeout: dialTimeout, MetadataTTL: metadataTTL, TLS: config, SASL: mechanism,
	}
	return &Cluster{
		Brokers:   c.Brokers,
		Client:    &kafka.Client{Addr: kafka.TCP(c.Brokers...), Timeout: requestTimeout, Transport: transport},
		Dialer:    &kafka.Dialer{ClientID: id, Timeout: dialTimeout, TLS: config, SASLMechanism: mechanism},
		transport: transport,
	}, nil
}

// Close closes the connections that are not in use, and the others as they
// become free.
func (c *Cluster) Close() { c.transport.CloseIdleConnections() }
