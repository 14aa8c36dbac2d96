// Package eval scores parts of the program on data with labels: how well pages
// are read, and how well the library finds.
//
// It measures the very code that runs use, never a copy of it. The data stays
// where it is; what an evaluation writes goes to a temporary folder of its own.
package eval
