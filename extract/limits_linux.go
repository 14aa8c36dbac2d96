// Memory and processor limits on Linux.
package extract

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitSelf sets hard limits on this process: memory bytes of address space
// beyond what is mapped now (a Go program reserves far more than it uses), and
// seconds of processor time.
func limitSelf(memory, seconds int64) error {
	mapped, err := mappedBytes()
	if err != nil {
		return err
	}
	space := uint64(mapped + memory)
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: space, Max: space}); err != nil {
		return err
	}
	return limitCPU(seconds)
}

func mappedBytes() (int64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	first, _, _ := bytes.Cut(data, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// limitProcess imposes a limit on another process's address space.
func limitProcess(pid int, memory int64) error {
	limit := unix.Rlimit{Cur: uint64(memory), Max: uint64(memory)}
	return unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil)
}
