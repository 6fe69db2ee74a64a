package schemas

// Topics names the topics of one installation.
type Topics struct {
	Deliveries  string
	Transitions string
	DeadLetters string
}

// DefaultTopicPrefix stands before every topic name unless configured.
const DefaultTopicPrefix = "pawl."

// TopicsWithPrefix returns the topic names under a prefix such as "pawl.".
func TopicsWithPrefix(prefix string) Topics {
	return Topics{
		Deliveries:  prefix + "deliveries",
		Transitions: prefix + "transitions",
		DeadLetters: prefix + "dead-letters",
	}
}

// All returns the three names, deliveries first.
func (t Topics) All() []string { return []string{t.Deliveries, t.Transitions, t.DeadLetters} }

// MaxBody is the largest body of a delivery in bytes: GitHub's and GitLab's
// cap of 25 MB (docs.github.com, "Webhook events and payloads"; GitLab
// REQUEST_BODY_SIZE_LIMIT).
const MaxBody = 25 << 20

// MaxRecord is the largest record in bytes that a topic must take: MaxBody and
// room for headers and the batch's own frame.
const MaxRecord = MaxBody + 1<<20

// Header names of a record. The ce_ names are CloudEvents 1.0 in the Kafka
// protocol binding's binary mode.
const (
	HeaderSpecVersion  = "ce_specversion"
	HeaderID           = "ce_id"
	HeaderSource       = "ce_source"
	HeaderType         = "ce_type"
	HeaderSubject      = "ce_subject"
	HeaderTime         = "ce_time"
	HeaderPartitionKey = "ce_partitionkey"
	HeaderContentType  = "content-type"
	HeaderTraceParent  = "traceparent"

	// Added to a dead letter, beside the headers of the record it was.
	HeaderReason    = "pawl_reason"
	HeaderStage     = "pawl_stage"
	HeaderTopic     = "pawl_topic"
	HeaderPartition = "pawl_partition"
	HeaderOffset    = "pawl_offset"
)

// SpecVersion is the CloudEvents version of every record.
const SpecVersion = "1.0"

// ContentTypeJSON is the content type of the values Pawl makes.
const ContentTypeJSON = "application/json"

// sourcePrefix stands before a source's name in ce_source.
const sourcePrefix = "/sources/"
