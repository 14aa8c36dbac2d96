package sqlite

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holder says which process holds a lock that keeps others from writing. It reads the kernel's list: to open and close
// the file itself would drop the locks that this process has on it.
func holder(path string) string {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	for _, name := range []string{path + "-shm", path} {
		var st syscall.Stat_t
		if syscall.Stat(name, &st) != nil {
			continue
		}
		if pid := writerIn(locks, st.Ino); pid > 0 && pid != os.Getpid() {
			return processName(pid)
		}
	}
	return ""
}

// writerIn finds the process with a write lock on an inode, in lines like
// "3: POSIX  ADVISORY  WRITE 4711 fe:00:1234 120 120". Device numbers are not compared: they are those of the
// superblock, which stat does not always give.
func writerIn(locks []byte, inode uint64) int {
	for s := bufio.NewScanner(bytes.NewReader(locks)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 8 || f[1] == "->" || f[3] != "WRITE" {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(f[4], &pid); err == nil && strings.HasSuffix(f[5], fmt.Sprintf(":%d", inode)) {
			return pid
		}
	}
	return 0
}

func processName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
}
