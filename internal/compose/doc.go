// Package compose holds docker-compose.yml, the Dockerfile and deploy/ against
// the program, as a test; it has no code of its own. Nothing is started: what is
// compared are names of variables and commands, ports, addresses, health checks,
// the order of starting, mounted files, and the metrics that alerts and the
// dashboard ask for.
package compose
