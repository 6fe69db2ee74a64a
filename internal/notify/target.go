package notify

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/email/smtp"
)

const (
	schemeHTTPS = "https"
	schemeHTTP  = "http"
	schemeSMTP  = "smtp"
)

// target is a url that was read.
type target struct {
	scheme string
	url    *url.URL
	// Which of them is set says who sends: a chat service, mail, or neither.
	service *service
	mail    *smtp.Config
	// secrets sign a webhook.
	secrets [][]byte
}

// Schemes returns what a url may begin with, sorted.
func Schemes() []string {
	names := []string{schemeHTTP, schemeHTTPS, schemeSMTP}
	for name := range services {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func parseTarget(raw string) (target, *SendError) {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Scheme == "" || parsed.Opaque != "" {
		return target{}, permanent("", "this is not a url; it begins with one of %s, and ://", strings.Join(Schemes(), ", "))
	}
	to := target{scheme: parsed.Scheme, url: parsed}
	switch to.scheme {
	case schemeHTTPS, schemeHTTP:
		return parseWebhook(to)
	case schemeSMTP:
		return parseMail(to)
	}
	found, known := services[to.scheme]
	if !known {
		// What stands there may be part of a secret.
		return target{}, permanent("", "unknown scheme; known are %s", strings.Join(Schemes(), ", "))
	}
	to.service = &found
	if _, fault := to.open(refuse); fault != nil {
		return target{}, fault
	}
	return to, nil
}

// addressFault says what is wrong with the host and port of a url, or "".
func addressFault(at *url.URL) string {
	if port := at.Port(); port != "" {
		if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65535 {
			return "the port is not one of 1 to 65535"
		}
	}
	if address, err := netip.ParseAddr(at.Hostname()); err == nil {
		if address.Zone() != "" {
			return "an address with a zone is of this machine only"
		}
		return ""
	}
	return hostFault(at.Hostname())
}

// hostFault says what is wrong with the name of a host, or "". A name that ends
// in a number is an IPv4 address in a form that some resolvers read and others
// do not: 2130706433, 0x7f.1, 127.1.
func hostFault(host string) string {
	if host == "" {
		return "there is no host"
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "the host is not a name; write names with other letters in their xn-- form"
		}
	}
	last := strings.ToLower(labels[len(labels)-1])
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "the host is not a name, nor an IPv4 address of four decimal numbers"
	}
	return ""
}
