//go:build unix

// Processor limits on Unix.
package extract

import "golang.org/x/sys/unix"

// limitCPU bounds processor time over all threads: twice the wall time, since
// the garbage collector works beside the parser.
func limitCPU(seconds int64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	assign(&limit.Cur, 2*seconds)
	return unix.Setrlimit(unix.RLIMIT_CPU, &limit)
}

// assign exists because the field is signed on some systems.
func assign[T int64 | uint64](field *T, v int64) { *field = T(v) }
