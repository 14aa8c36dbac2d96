// Package lab is a small simulated world for tests, demos and benchmarks: steps that follow a script, folders of
// documents made from a seed, of any size, servers of scripted language models with knobs for their faults ([Models]), and
// an internet of made-up sites with search engines, paper indexes, an archive and a proxy, some of whose pages misbehave
// ([Web]). Everything is served over real HTTP on the loopback, and follows from its seed.
package lab
