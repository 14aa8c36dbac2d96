// Package temporal drives runs on a Temporal cluster, for more than one machine: one generic workflow over run.Next and
// run.Apply, the same steps as activities with heartbeats, signals as signals, a person's wait as a timer.
//
// Temporal's history is what makes a run go on after a worker died. The store stays the place of truth for content and for
// what users are shown: every outcome is also put into the run's journal, with the events that tell of it, before the next
// step is begun. So whoever reads the store sees the same whichever driver works.
//
// A run on a cluster is owned by engine.Cluster until it has ended; no local driver takes it over.
package temporal
