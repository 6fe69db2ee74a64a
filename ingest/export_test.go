package ingest

// QueuedBytes returns the bytes that are not answered yet.
func (a *KafkaAppender) QueuedBytes() int64 { return a.queued.Load() }

// QueuedRecords returns the records that wait, those in flight left out.
func (a *KafkaAppender) QueuedRecords() int {
	count := 0
	at := a.layout.Load()
	if at == nil {
		return 0
	}
	for _, l := range at.lanes {
		l.mu.Lock()
		count += len(l.queue)
		l.mu.Unlock()
	}
	return count
}
