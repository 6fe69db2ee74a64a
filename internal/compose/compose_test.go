package compose_test

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

// root is the module's root, seen from this package.
const root = "../.."

const (
	healthy   = "service_healthy"
	completed = "service_completed_successfully"
)

type file struct {
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image       string
	Command     []string
	Restart     string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct{ Test []string }
}

// ours reports whether the service runs the program.
func (s service) ours() bool { return s.Image == "pawl" }

// once reports whether the service ends by itself.
func (s service) once() bool { return s.Restart == "no" }

func load(t *testing.T) file {
	t.Helper()
	var compose file
	decode(t, "docker-compose.yml", &compose)
	return compose
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// source returns the text of the program's Go files in some folders, tests
// aside.
func source(t *testing.T, folders ...string) string {
	t.Helper()
	var text strings.Builder
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			text.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// found returns what the first group of a pattern matches, sorted, once each.
func found(pattern, text string) []string {
	var names []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestServices_AreThePartsAndTheirStages(t *testing.T) {
	t.Parallel()
	compose := load(t)
	var names []string
	for name, service := range compose.Services {
		names = append(names, name)
		if !service.ours() || service.once() {
			continue
		}
		if service.Command[0] != name {
			t.Errorf("service %s runs the command %s, want the one of its name", name, service.Command[0])
		}
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() {
			t.Errorf("service %s has no folder of that name", name)
		}
	}
	slices.Sort(names)
	want := []string{"actuator", "grafana", "ingest", "kafka", "migrate", "postgres", "projector", "prometheus"}
	if diff := cmp.Diff(names, want); diff != "" {
		t.Errorf("services, -got +want:\n%s", diff)
	}
}

func TestServices_RunCommandsThatExist(t *testing.T) {
	t.Parallel()
	commands := found(`Use:\s+"([a-z-]+)`, source(t, "cmd"))
	if len(commands) == 0 {
		t.Fatal("no commands found in cmd")
	}
	for name, service := range load(t).Services {
		if !service.ours() {
			continue
		}
		used := service.Command[:1]
		if test := service.Healthcheck.Test; len(test) > 2 {
			used = append(slices.Clone(used), test[2])
		}
		for _, command := range used {
			if !slices.Contains(commands, command) {
				t.Errorf("service %s calls pawl %s, the program has %s", name, command, strings.Join(commands, ", "))
			}
		}
	}
}

func TestEnvironment_IsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	known := found(`"(PAWL_[A-Z_]+)"`, source(t, "cmd", "internal/config"))
	if len(known) == 0 {
		t.Fatal("no variables found in the program")
	}
	secrets := found(`env:([A-Z_]+)`, read(t, "deploy/pawl.yaml"))
	if len(secrets) == 0 {
		t.Fatal("no secrets found in deploy/pawl.yaml")
	}
	for name, service := range load(t).Services {
		if !service.ours() {
			continue
		}
		for variable := range service.Environment {
			if !slices.Contains(known, variable) && !slices.Contains(secrets, variable) {
				t.Errorf("service %s sets %s, which neither the program nor its configuration reads", name, variable)
			}
		}
		for _, variable := range append(secrets, "PAWL_DATABASE_URL", "PAWL_KAFKA_BROKERS", "PAWL_LISTEN_OPERATIONS") {
			if service.Environment[variable] == "" {
				t.Errorf("service %s does not set %s", name, variable)
			}
		}
	}
}

func TestEnvironment_LeadsToTheOtherServices(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	kafka, postgres := services["kafka"], services["postgres"]
	for name, service := range services {
		if !service.ours() {
			continue
		}
		if got, want := "PLAINTEXT://"+service.Environment["PAWL_KAFKA_BROKERS"], kafka.Environment["KAFKA_ADVERTISED_LISTENERS"]; got != want {
			t.Errorf("service %s uses the broker %s, which advertises %s", name, got, want)
		}
		address, err := url.Parse(service.Environment["PAWL_DATABASE_URL"])
		if err != nil {
			t.Errorf("service %s: %v", name, err)
			continue
		}
		password, _ := address.User.Password()
		got := []string{address.Hostname(), address.User.Username(), password, strings.TrimPrefix(address.Path, "/")}
		want := []string{"postgres", postgres.Environment["POSTGRES_USER"], postgres.Environment["POSTGRES_PASSWORD"], postgres.Environment["POSTGRES_DB"]}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("service %s, host, user, password and database, -got +want:\n%s", name, diff)
		}
	}
}

func TestKafka_TakesTheLargestRecord(t *testing.T) {
	t.Parallel()
	kafka := load(t).Services["kafka"]
	if got, want := kafka.Environment["KAFKA_MESSAGE_MAX_BYTES"], strconv.Itoa(schemas.MaxRecord); got != want {
		t.Errorf("KAFKA_MESSAGE_MAX_BYTES %s, want %s", got, want)
	}
	if got := kafka.Environment["KAFKA_AUTO_CREATE_TOPICS_ENABLE"]; got != "false" {
		t.Errorf("KAFKA_AUTO_CREATE_TOPICS_ENABLE %q: a topic made by accident has the wrong settings", got)
	}
}

// port returns the port that a service listens on, for which the host must not
// be the loopback of its container.
func port(t *testing.T, service service, variable string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(service.Environment[variable])
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || ip.IsLoopback()) {
		t.Errorf("%s listens on %q, which no other container reaches", variable, host)
	}
	return port
}

func TestPorts_AreThoseTheProgramListensOn(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	webhooks, operations := port(t, services["ingest"], "PAWL_LISTEN_WEBHOOKS"), port(t, services["ingest"], "PAWL_LISTEN_OPERATIONS")
	if diff := cmp.Diff(services["ingest"].Ports, []string{webhooks + ":" + webhooks}); diff != "" {
		t.Errorf("published ports of ingest, -got +want:\n%s", diff)
	}
	var targets []string
	for name, service := range services {
		if !service.ours() || service.once() {
			continue
		}
		targets = append(targets, name+":"+port(t, service, "PAWL_LISTEN_OPERATIONS"))
		if name != "ingest" && len(service.Ports) > 0 {
			t.Errorf("service %s publishes %v: operations are not for outsiders", name, service.Ports)
		}
	}
	slices.Sort(targets)
	var prometheus struct {
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	decode(t, "deploy/prometheus.yml", &prometheus)
	scraped := slices.Sorted(slices.Values(prometheus.ScrapeConfigs[0].StaticConfigs[0].Targets))
	if diff := cmp.Diff(scraped, targets); diff != "" {
		t.Errorf("scraped targets, -prometheus.yml +services:\n%s", diff)
	}
	exposed := found(`(?m)^EXPOSE ([0-9 ]+)$`, read(t, "Dockerfile"))
	if diff := cmp.Diff(exposed, []string{webhooks + " " + operations}); diff != "" {
		t.Errorf("exposed ports, -Dockerfile +services:\n%s", diff)
	}
}

func TestHealth_EveryServiceThatStaysHasACheck(t *testing.T) {
	t.Parallel()
	for name, service := range load(t).Services {
		check := service.Healthcheck
		if service.once() {
			if len(check.Test) > 0 {
				t.Errorf("service %s ends by itself and has a health check", name)
			}
			continue
		}
		if len(check.Test) < 2 || check.Test[0] != "CMD" {
			t.Errorf("service %s has the check %q, want a command without a shell", name, check.Test)
		}
		if service.ours() && check.Test[1] != "/pawl" {
			t.Errorf("service %s checks with %s, but its image has /pawl only", name, check.Test[1])
		}
	}
}

func TestOrder_WaitsForWhatCanBeWaitedFor(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	waits := 0
	for name, service := range services {
		for other, how := range service.DependsOn {
			waits++
			target, ok := services[other]
			switch {
			case !ok:
				t.Errorf("service %s waits for %s, which is no service", name, other)
			case how.Condition == healthy && (target.once() || len(target.Healthcheck.Test) == 0):
				t.Errorf("service %s waits for the health of %s, which has no check", name, other)
			case how.Condition == completed && !target.once():
				t.Errorf("service %s waits for the end of %s, which does not end", name, other)
			case how.Condition != healthy && how.Condition != completed:
				t.Errorf("service %s waits for %s on condition %q", name, other, how.Condition)
			}
		}
	}
	if waits == 0 {
		t.Error("no service waits for another")
	}
	for _, name := range []string{"projector", "actuator"} {
		if services[name].DependsOn["migrate"].Condition != completed {
			t.Errorf("service %s does not wait for the migrations", name)
		}
	}
}

func TestMounts_AreFilesOfTheRepositoryOrNamedVolumes(t *testing.T) {
	t.Parallel()
	compose := load(t)
	used := make(map[string]bool)
	for name, service := range compose.Services {
		for _, mount := range service.Volumes {
			from, to, _ := strings.Cut(mount, ":")
			if !strings.HasPrefix(from, "./") {
				used[from] = true
				if _, ok := compose.Volumes[from]; !ok {
					t.Errorf("service %s mounts the volume %s, which is not declared", name, from)
				}
				continue
			}
			if _, err := os.Stat(filepath.Join(root, from)); err != nil {
				t.Errorf("service %s mounts %s: %v", name, from, err)
			}
			if !strings.HasSuffix(to, ":ro") {
				t.Errorf("service %s mounts %s to be written", name, from)
			}
			if service.ours() && strings.TrimSuffix(to, ":ro") != service.Environment["PAWL_CONFIG"] {
				t.Errorf("service %s mounts %s, but reads %s", name, to, service.Environment["PAWL_CONFIG"])
			}
		}
	}
	for volume := range compose.Volumes {
		if !used[volume] {
			t.Errorf("volume %s is declared and not used", volume)
		}
	}
}

func TestImage_IsStaticAndNotRoot(t *testing.T) {
	t.Parallel()
	dockerfile := read(t, "Dockerfile")
	for _, want := range []string{"CGO_ENABLED=0", "USER 65532:65532", `ENTRYPOINT ["/pawl"]`, "-o /pawl ./cmd/pawl"} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
	wanted := found(`(?m)^go (1\.[0-9]+)`, read(t, "go.mod"))
	if diff := cmp.Diff(found(`(?m)^FROM golang:(1\.[0-9]+)`, dockerfile), wanted); diff != "" {
		t.Errorf("version of Go, -Dockerfile +go.mod:\n%s", diff)
	}
}
