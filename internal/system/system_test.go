package system

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); !errors.Is(err, ErrLocked) {
		t.Errorf("while another has it: %v", err)
	}
	if _, err := second.WriteString("written"); err != nil {
		t.Errorf("who has no lock cannot write: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); err != nil {
		t.Errorf("after the other closed it: %v", err)
	}
}

func TestRoom(t *testing.T) {
	room, err := RoomAt(t.TempDir())
	if err != nil || room.Size == 0 || room.Free > room.Size {
		t.Errorf("%+v, %v", room, err)
	}
	if _, err := RoomAt(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a folder that is not there has room")
	}
}

func TestSyncFolder(t *testing.T) {
	if err := SyncFolder(t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Listen("tcp", l.Addr().String()); !errors.Is(err, ErrAddressInUse) {
		t.Errorf("an address in use: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); !errors.Is(err, ErrRefused) {
		t.Errorf("an address that nobody serves: %v", err)
	}
	// An address of documentation, which no machine has.
	if _, err := net.Listen("tcp", "192.0.2.1:0"); !errors.Is(err, ErrAddressForeign) {
		t.Errorf("an address of nobody: %v", err)
	}
}
