package importtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

const module = "pawl"

// root is the module's root, seen from this package.
const root = "../.."

// graph holds the imports of each package, tests aside.
type graph map[string][]string

// reach returns all packages that a package imports, directly or through
// packages of this module, each with the way that leads to it.
func (g graph) reach(from string) map[string][]string {
	ways := map[string][]string{from: {from}}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range g[queue[0]] {
			if _, seen := ways[imported]; seen {
				continue
			}
			ways[imported] = append(slices.Clone(ways[queue[0]]), imported)
			queue = append(queue, imported)
		}
	}
	delete(ways, from)
	return ways
}

func stages() []string { return []string{"ingest", "projector", "relay", "actuator"} }

// stageOf returns the stage that a package belongs to, or "".
func stageOf(pkg string) string {
	rest, ok := strings.CutPrefix(pkg, module+"/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	if slices.Contains(stages(), first) {
		return first
	}
	return ""
}

// isStandard reports whether a package is of the standard library.
func isStandard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return first != module && !strings.Contains(first, ".")
}

// crossings returns the ways by which one stage reaches another.
func crossings(g graph) []string {
	var found []string
	for pkg := range g {
		stage := stageOf(pkg)
		if stage == "" {
			continue
		}
		for other, way := range g.reach(pkg) {
			if reached := stageOf(other); reached != "" && reached != stage {
				found = append(found, strings.Join(way, " → "))
			}
		}
	}
	slices.Sort(found)
	return found
}

// foreign returns the imports of schemas that are not of the standard library.
func foreign(g graph) []string {
	return slices.DeleteFunc(slices.Clone(g[module+"/schemas"]), isStandard)
}

// testSupport returns the ways by which the program reaches a package that
// starts things for tests.
func testSupport(g graph) []string {
	var found []string
	for _, name := range []string{"pgtest", "kafkatest", "realkafka"} {
		if way, ok := g.reach(module + "/cmd/pawl")[module+"/internal/"+name]; ok {
			found = append(found, strings.Join(way, " → "))
		}
	}
	return found
}

func TestSchemasImportTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	g := load(t)
	if len(g[module+"/schemas"]) == 0 {
		t.Fatal("schemas has no imports: the rule is not tested")
	}
	if found := foreign(g); len(found) > 0 {
		t.Errorf("schemas imports %s", strings.Join(found, ", "))
	}
}

func TestStagesNeverReachOneAnother(t *testing.T) {
	t.Parallel()
	if found := crossings(load(t)); len(found) > 0 {
		t.Errorf("stages meet in the log and the outbox, never in Go:\n%s", strings.Join(found, "\n"))
	}
}

func TestProgramHasNoTestSupport(t *testing.T) {
	t.Parallel()
	if found := testSupport(load(t)); len(found) > 0 {
		t.Errorf("the program carries what is for tests:\n%s", strings.Join(found, "\n"))
	}
}

// TestRulesSeeViolations: a rule that cannot fail proves nothing.
func TestRulesSeeViolations(t *testing.T) {
	t.Parallel()
	g := graph{
		"pawl/schemas":         {"fmt", "github.com/google/uuid", "pawl/internal/shared"},
		"pawl/ingest":          {"pawl/internal/shared"},
		"pawl/internal/shared": {"pawl/actuator/rules"},
		"pawl/actuator/rules":  {"pawl/schemas"},
		"pawl/actuator":        {"pawl/actuator/rules"},
		"pawl/cmd/pawl":        {"pawl/internal/shared", "pawl/internal/pgtest"},
	}
	for _, test := range []struct {
		name      string
		got, want []string
	}{
		{"schemas", foreign(g), []string{"github.com/google/uuid", "pawl/internal/shared"}},
		{"stages", crossings(graph{
			"pawl/ingest": {"pawl/internal/shared"}, "pawl/internal/shared": {"pawl/actuator/rules"},
			"pawl/actuator": {"pawl/actuator/rules"},
		}), []string{"pawl/ingest → pawl/internal/shared → pawl/actuator/rules"}},
		{"program", testSupport(g), []string{"pawl/cmd/pawl → pawl/internal/pgtest"}},
	} {
		if diff := cmp.Diff(test.got, test.want); diff != "" {
			t.Errorf("%s, -got +want:\n%s", test.name, diff)
		}
	}
}

// load lists the packages of the module with their imports.
func load(t *testing.T) graph {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", module+"/...")
	command.Dir = root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	g := make(graph)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return g
		}
		if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		g[pkg.ImportPath] = pkg.Imports
	}
}

// pureImports is what the fold may import (I3).
func pureImports() []string {
	return []string{"cmp", "errors", "fmt", "maps", "slices", "strconv", "strings", "time", "pawl/schemas"}
}

// clock is what the fold may not use of package time: it takes time as an
// argument.
func clock() []string {
	return []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}
}

func TestI3_FoldIsPure(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"fold*.go", "transition*.go", "watermark*.go", "held*.go"} {
		matches, err := filepath.Glob(filepath.Join(root, "projector", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, slices.DeleteFunc(matches, func(name string) bool {
			return strings.HasSuffix(name, "_test.go")
		})...)
	}
	if len(files) < 4 {
		t.Fatalf("only %d files of the fold found", len(files))
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range impurities(t, source) {
			t.Errorf("%s: %s", filepath.Base(name), fault)
		}
	}
}

func TestI3_ImpurityIsSeen(t *testing.T) {
	t.Parallel()
	got := impurities(t, []byte(`package p
import ("context"; "log/slog"; "time"; clk "time")
func f(context.Context) { slog.Info("x"); time.Now(); _ = clk.Since(time.Time{}) }`))
	want := []string{"imports context", "imports log/slog", "calls time.Now", "calls time.Since"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// impurities returns what a file of the fold imports or uses and may not.
func impurities(t *testing.T, source []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	times := make(map[string]bool)
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(pureImports(), path) {
			found = append(found, "imports "+path)
		}
		if path == "time" {
			times[nameOf(spec)] = true
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && times[pkg.Name] && slices.Contains(clock(), selector.Sel.Name) {
			found = append(found, "calls time."+selector.Sel.Name)
		}
		return true
	})
	return found
}

func nameOf(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return "time"
}

// TestLinterHasTheSameRule: what the fold may import is written in two places.
func TestLinterHasTheSameRule(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules struct {
						Pure struct{ Allow []string }
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Linters.Settings.Depguard.Rules.Pure.Allow, pureImports()); diff != "" {
		t.Errorf("depguard's rule pure, -.golangci.yml +test:\n%s", diff)
	}
}
