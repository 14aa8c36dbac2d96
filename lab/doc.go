// Package lab is a small simulated world for tests, demos and benchmarks: steps that follow a script, folders of
// documents made from a seed, of any size, and servers of scripted language models with knobs for their faults.
package lab
