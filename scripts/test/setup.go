package main

import (
	"fmt"
	"os"
	"os/exec"

	"groundwork/internal/pgtest"
)

// setUp installs PostgreSQL where it is missing and this may be done without asking: as root on a machine with apt-get.
func setUp() error {
	missing := pgtest.Installed()
	if missing == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return missing
	}
	fmt.Println("PostgreSQL is missing; installing it with apt-get.")
	for _, args := range [][]string{
		{"update", "-q"},
		{"install", "-q", "-y", "--no-install-recommends", "postgresql"},
	} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return pgtest.Installed()
}
