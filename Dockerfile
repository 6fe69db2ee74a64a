# syntax=docker/dockerfile:1
# One static binary, run as nobody in particular; the role is the command.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /pawl ./cmd/pawl

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /pawl /pawl
USER 65532:65532
# webhooks, operations
EXPOSE 8080 9600
ENTRYPOINT ["/pawl"]
CMD ["help"]
