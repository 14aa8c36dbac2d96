package main

// The server that is killed.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

type victim struct {
	program, home, addr string
	env                 []string
	http                *http.Client
	cmd                 *exec.Cmd
	ups                 []time.Duration
}

// newVictim makes a server that is to be started: always on the same port, so that clients find the next one.
func newVictim(ctx context.Context, program, home, models string, atOnce int) (*victim, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &victim{program: program, home: home, addr: l.Addr().String(), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	v.env = append(os.Environ(), "PLUMB_HOME="+home, "SEARCH_PROVIDER=none", "RATE_LIMIT=-1", "RUNS_AT_ONCE="+strconv.Itoa(atOnce),
		"OPENAI_API_KEY=lab", "OPENAI_BASE_URL="+models+"/v1", "ORCHESTRATOR_MODEL=openai:gpt-5.4-mini", "MODEL_CALLS_AT_ONCE=64")
	return v, errors.Join(l.Close(), os.MkdirAll(home, 0o700))
}

// start starts it and waits until it answers.
func (v *victim) start(ctx context.Context) error {
	begin := time.Now()
	cmd := exec.CommandContext(ctx, v.program, "serve", "--addr", v.addr)
	cmd.Env, cmd.Dir = v.env, v.home
	said, err := os.OpenFile(filepath.Join(v.home, "serve.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd.Stderr = said
	if err := errors.Join(cmd.Start(), said.Close()); err != nil {
		return err
	}
	v.cmd = cmd
	for {
		if _, err := v.call(ctx, "GET", "/readiness", "", nil, nil); err == nil {
			v.ups = append(v.ups, time.Since(begin))
			return nil
		}
		select {
		case <-ctx.Done():
			log, err := os.ReadFile(filepath.Join(v.home, "serve.log"))
			return errors.Join(fmt.Errorf("the server does not come up: %w: %s", ctx.Err(), log[max(0, len(log)-1000):]), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kill kills it, if it lives.
func (v *victim) kill() error {
	if v.cmd == nil {
		return nil
	}
	if err := v.cmd.Process.Kill(); err != nil {
		return err // it must not have ended by itself
	}
	err := v.cmd.Wait()
	v.cmd = nil
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.Exited() {
		return fmt.Errorf("the server ended before it was killed: %w", err)
	}
	return nil
}

// errStatus is an answer that is none of success.
type errStatus struct {
	status int
	text   string
}

func (e errStatus) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// call makes a request and reads the answer: JSON into to, unless to is nil.
func (v *victim) call(ctx context.Context, method, path, body string, header map[string]string, to any) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+v.addr+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	for k, value := range header {
		req.Header.Set(k, value)
	}
	res, err := v.http.Do(req)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(res.Body)
	switch err := errors.Join(err, res.Body.Close()); {
	case err != nil:
		return "", err
	case res.StatusCode >= 300:
		return "", errStatus{res.StatusCode, string(data)}
	case to == nil:
		return string(data), nil
	}
	return string(data), json.Unmarshal(data, to)
}

// shelve gives the server documents to ask about.
func (v *victim) shelve(ctx context.Context) error {
	names, err := filepath.Glob("examples/corpus/*/*.md")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		body, err := json.Marshal(map[string]string{"name": filepath.Base(name), "text": string(data)})
		if err != nil {
			return err
		}
		var status errStatus
		if _, err := v.call(ctx, "POST", "/api/v1/library/documents", string(body), nil, nil); err != nil && (!errors.As(err, &status) || status.status != http.StatusUnsupportedMediaType) {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
