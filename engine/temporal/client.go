package temporal

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Options say where the cluster is. The zero value is a development server on this machine.
type Options struct {
	Address   string           // host and port; default localhost:7233
	Namespace string           // default "default"
	TLS       *tls.Config      // nil: none
	Token     string           // API key of a hosted cluster; needs TLS
	Log       *slog.Logger     // default: nobody reads it
	Now       func() time.Time // default time.Now
	History   int              // events after which a run goes on in a new history; default 3,500. Leave it alone outside of tests
}

// Client starts runs on a cluster and tells them what people say.
type Client struct {
	o       Options
	sdk     client.Client
	store   engine.Store
	indexed bool
}

// Dial reaches a cluster. Runs and their contents are kept in the store. Close the client at the end.
func Dial(ctx context.Context, store engine.Store, o Options) (*Client, error) {
	if o.Address == "" {
		o.Address = client.DefaultHostPort
	}
	if o.Namespace == "" {
		o.Namespace = client.DefaultNamespace
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	opts := client.Options{HostPort: o.Address, Namespace: o.Namespace, Logger: log.NewStructuredLogger(o.Log), DataConverter: payloads}
	opts.ConnectionOptions.TLS = o.TLS
	if o.Token != "" {
		opts.Credentials = client.NewAPIKeyStaticCredentials(o.Token)
	}
	sdk, err := client.DialContext(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("Temporal at %s can't be reached: start it, or name another with TEMPORAL_ADDRESS: %w", o.Address, cause(err)) //nolint:staticcheck // a name
	}
	c := &Client{o: o, sdk: sdk, store: store}
	if err := c.inspect(ctx); err != nil {
		sdk.Close()
		return nil, err
	}
	return c, nil
}

// cause is the innermost error, which says in one line what was wrong.
func cause(err error) error {
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		err = e
	}
	return err
}

// inspect makes sure that the namespace is there, and looks whether it has the search attributes.
func (c *Client) inspect(ctx context.Context) error {
	_, err := c.sdk.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: c.o.Namespace})
	var missing *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("Temporal at %s has no namespace %q: make it with `temporal operator namespace create -n %[2]s`", c.o.Address, c.o.Namespace) //nolint:staticcheck // a name
	case err != nil:
		return fmt.Errorf("Temporal at %s: namespace %s: %w", c.o.Address, c.o.Namespace, err) //nolint:staticcheck // a name
	}
	list, err := c.sdk.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: c.o.Namespace})
	if err != nil {
		c.o.Log.Warn("search attributes can't be listed: runs go without", "error", err)
		return nil
	}
	c.indexed = true
	for _, name := range []string{tenantAttribute.GetName(), stateAttribute.GetName(), strategyAttribute.GetName()} {
		if list.GetCustomAttributes()[name] != enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			c.indexed = false
		}
	}
	return nil
}

// Close lets go of the connection.
func (c *Client) Close() { c.sdk.Close() }

func (c *Client) now() time.Time { return c.o.Now().UTC().Round(0) }

func workflowID(run string) string { return "plumb-" + run }

// Start stores a run, owned by the cluster, lets with add what it needs, and sets the cluster to work. with may be nil.
func (c *Client) Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	if err := c.store.CreateRun(ctx, run, engine.Lease{Owner: engine.Cluster, Until: forever}); err != nil {
		return err
	}
	if err := c.begin(ctx, run, with); err != nil {
		undo := context.WithoutCancel(ctx)
		return errors.Join(err, c.store.Release(undo, run.ID, engine.Cluster), c.store.DeleteRun(undo, run.ID))
	}
	return nil
}

func (c *Client) begin(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	if with != nil {
		if err := with(ctx); err != nil {
			return err
		}
	}
	var last int64
	if err := c.store.AppendEvents(ctx, []plumb.Event{engine.Number(engine.Started(run), run.ID, &last, c.now())}); err != nil {
		return err
	}
	_, err := c.sdk.ExecuteWorkflow(ctx, c.beginning(run), workflowName, c.carry(run, 0))
	return c.about(run.ID, err)
}

func (c *Client) carry(run *plumb.Run, seq int) Carry {
	return Carry{Run: *run, Seq: seq, Woken: seq > 0, Indexed: c.indexed, History: c.o.History}
}

// beginning is how the workflow of a run begins.
func (c *Client) beginning(run *plumb.Run) client.StartWorkflowOptions {
	o := client.StartWorkflowOptions{ID: workflowID(run.ID), TaskQueue: Queue, WorkflowTaskTimeout: heartbeat}
	if c.indexed {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(tenantAttribute.ValueSet(run.Tenant),
			stateAttribute.ValueSet(string(run.State())), strategyAttribute.ValueSet(run.Limits.Preset))
	}
	return o
}

func (c *Client) about(run string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %s: Temporal at %s: %w", run, c.o.Address, err)
}

// Send tells a run a signal. One that has ended hears nothing but SigRetry. A run that is in the store and not on the
// cluster is set to work there, from its journal.
func (c *Client) Send(ctx context.Context, run string, s plumb.Signal) error {
	err := c.sdk.SignalWorkflow(ctx, workflowID(run), "", signalName, s)
	if !isNotFound(err) {
		return c.about(run, err)
	}
	r, seq, err := c.load(ctx, run)
	if err != nil {
		return err
	}
	if r.State().Ended() && (s.Kind != plumb.SigRetry || r.State() != plumb.FailedState) {
		return nil
	}
	if err := c.take(ctx, r, seq); err != nil {
		return err
	}
	_, err = c.sdk.SignalWithStartWorkflow(ctx, workflowID(run), signalName, s, c.beginning(r), workflowName, c.carry(r, seq))
	return c.about(run, err)
}

func isNotFound(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}

// load gives a run as its journal has it, and the length of the journal.
func (c *Client) load(ctx context.Context, id string) (*plumb.Run, int, error) {
	rec, err := c.store.LoadRun(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	if err := engine.CheckRules(&rec.Run); err != nil {
		return nil, 0, err
	}
	for _, o := range rec.Journal {
		rec.Run.Apply(o)
	}
	return &rec.Run, len(rec.Journal), nil
}

// take makes the run the cluster's, and tells users that it goes on.
func (c *Client) take(ctx context.Context, run *plumb.Run, seq int) error {
	holder, err := c.store.Acquire(ctx, run.ID, engine.Cluster, c.now(), forever)
	if err != nil {
		return err
	}
	if holder != engine.Cluster {
		return fmt.Errorf("run %s: %w", run.ID, engine.ErrNotOwner)
	}
	b := &books{store: c.store, now: c.now, show: func(plumb.Event) {}}
	return b.write(ctx, b.take(run.ID), []plumb.Event{engine.Resumed(run, seq)})
}

// Run asks the cluster how a run stands. It is answered by a worker.
func (c *Client) Run(ctx context.Context, id string) (*plumb.Run, error) {
	v, err := c.sdk.QueryWorkflow(ctx, workflowID(id), "", queryName)
	if isNotFound(err) {
		return nil, fmt.Errorf("run %s: %w", id, engine.ErrNoRun)
	}
	if err != nil {
		return nil, c.about(id, err)
	}
	var run plumb.Run
	if err := v.Get(&run); err != nil {
		return nil, c.about(id, err)
	}
	return &run, nil
}

// Delete ends a run at once, whatever it does, and removes it from the store.
func (c *Client) Delete(ctx context.Context, id string) error {
	if err := c.sdk.TerminateWorkflow(ctx, workflowID(id), "", "deleted"); err != nil && !isNotFound(err) {
		return c.about(id, err)
	}
	if err := c.store.Release(ctx, id, engine.Cluster); err != nil {
		return err
	}
	return c.store.DeleteRun(ctx, id)
}

// Sweep sets to work what the store has and the cluster has lost: runs whose start was cut short, and those that a local
// driver has left behind. Runs that are under way are left alone.
func (c *Client) Sweep(ctx context.Context) error {
	for _, state := range []plumb.State{plumb.Queued, plumb.Running, plumb.Waiting, plumb.PausedState} {
		runs, err := c.store.Runs(ctx, engine.Filter{State: state})
		if err != nil {
			return err
		}
		for _, s := range runs {
			if s.Owner != "" && (s.Owner != engine.Cluster || c.now().Sub(s.UpdatedAt) < starting) {
				continue
			}
			if err := c.revive(ctx, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// starting is how long a client may take from the store to the cluster before its run counts as lost.
const starting = time.Minute

// revive starts the workflow of a run that has none.
func (c *Client) revive(ctx context.Context, id string) error {
	about, err := c.sdk.DescribeWorkflowExecution(ctx, workflowID(id), "")
	if err == nil && about.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if err != nil && !isNotFound(err) {
		return c.about(id, err)
	}
	run, seq, err := c.load(ctx, id)
	if err != nil || run.State().Ended() {
		return err
	}
	if err := c.take(ctx, run, seq); err != nil {
		return err
	}
	o := c.beginning(run)
	o.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	_, err = c.sdk.ExecuteWorkflow(ctx, o, workflowName, c.carry(run, seq))
	return c.about(id, err)
}
