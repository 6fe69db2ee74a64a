// Package notify sends the messages that rules ask for: to an address as a
// signed webhook, to a mailbox, or to a chat, push or alert service.
//
//	Send ──▶ target ──https, http──▶ webhook ──┐
//	           ├──slack, teams, …──▶ chat ─────┤──▶ exchange ──▶ hosts ──▶ guard ──▶ dial
//	           └──smtp─────────────▶ mail ─────┘
//
// # What is promised
//
// At least once, by a caller that tries again: a webhook carries the message's
// key, and arrives once where the receiver keeps the keys it has seen. Chats
// know no key, so a message whose answer was lost can be there twice.
//
// Every failure is a *SendError with a verdict: nothing will help, later, or
// nobody knows. Nothing is retried in here.
//
// A target is a secret. No error holds more of it than the scheme, and the host
// that was called; no cause is wrapped, because the causes hold the whole
// address. Nothing is logged.
//
// The guard looks at the address of every connection, after names are resolved
// and before a packet leaves; it stands before webhooks, services and mail alike.
// A host that hangs or fails holds a bounded number of callers, and is left
// alone for a while, growing with each failure, in which callers are told so at
// once. Connections are not kept: a message is rare, each is looked at anew, and
// nothing of a Send outlives it.
//
// # The services, and why not the library's router
//
// Chat, push and alert services are those of github.com/nicholas-fedor/shoutrrr,
// v0.18.0 of August 2026: kept (a release every few weeks), wide, and the first
// line of releases in which a service takes the caller's HTTP client. Later
// releases (v0.20.0 and v0.21.1 of September 2026) demand a newer Go than this
// module's.
//
// Its router is not used. The router logs addresses, initializes a service before
// it is given a client (Matrix logs in then), bounds time by leaving the call
// running behind, and wraps the address into errors. So each service is made here
// by hand and sees the network through exchange only, and its own errors are
// dropped: what an attempt came to is read from the HTTP exchange, not from a
// text. A service's own waiting between tries (Discord) is switched off.
//
// Four of its services are not offered: generic (https does it, signed), logger
// (it would print the message), mqtt and xmpp (they open connections that no
// client can stand before). Mail is read by its configuration and sent by
// net/smtp, because its sender dials by itself, too.
package notify
