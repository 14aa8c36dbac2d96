// Package lab is a small simulated world for tests, demos and benchmarks: steps that follow a script, and folders of
// documents made from a seed, of any size.
package lab
