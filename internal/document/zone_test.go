package document

import "testing"

func TestZonesAreThoseOfTheDatabase(t *testing.T) {
	for name, good := range map[string]bool{
		"Europe/Madrid": true, "America/Argentina/Buenos_Aires": true, "UTC": true, "Asia/Calcutta": true,
		"": false, "Local": false, "localtime": false, "posixrules": false, "Factory": false, "GMT+1": false,
		"right/UTC": false, "posix/UTC": false, "../zoneinfo/UTC": false, "/etc/localtime": false, "Mars/Olympus": false,
		"./UTC": false, "./localtime": false, "America//New_York": false, "America/./New_York": false, "UTC/": false,
	} {
		if err := CheckZone("time_zone", name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
