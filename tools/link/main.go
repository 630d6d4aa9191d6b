// Command link is a bad network between two programs: Toxiproxy between a port of the loopback interface, which it
// chooses and prints, and another address. Each line of its standard input is an order, answered by a line; when the
// input ends, so does the link. Its dependencies have this module of their own, far from the service's.
//
//	link HOST:PORT
//
// The orders: heal; cut, which ends all connections and takes no new ones; or a toxic in JSON, such as
// {"type":"timeout","stream":"downstream","attributes":{"timeout":0}}.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "link:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: link HOST:PORT")
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "link", "127.0.0.1:0", args[0])
	if err := proxy.Start(); err != nil {
		return err
	}
	fmt.Println(proxy.Listen)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		if err := obey(proxy, orders.Text()); err != nil {
			fmt.Println("refused:", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Println("done")
	}
	proxy.Stop()
	return orders.Err()
}

func obey(proxy *toxiproxy.Proxy, order string) error {
	switch order {
	case "heal":
		proxy.Toxics.ResetToxics(context.Background())
		if proxy.Enabled {
			return nil
		}
		return proxy.Start()
	case "cut":
		proxy.Stop()
		return nil
	}
	_, err := proxy.Toxics.AddToxicJson(strings.NewReader(order))
	return err
}
