package main

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// worded are the readers of values whose own errors are for programmers.
func worded() []kong.Option {
	return []kong.Option{
		reads(func(text string) (level slog.Level, err error) {
			if level.UnmarshalText([]byte(text)) != nil {
				err = fmt.Errorf("%q must be one of: debug, info, warn, error", text)
			}
			return level, err
		}),
		reads(func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if err != nil {
				err = fmt.Errorf("%q is not a whole number such as 500", text)
			}
			return n, err
		}),
		reads(func(text string) (time.Duration, error) {
			d, err := time.ParseDuration(text)
			if err != nil {
				err = fmt.Errorf("%q is not a length of time such as 90s, 30m or 48h", text)
			}
			return d, err
		}),
	}
}

// reads has values of a type read from what was typed.
func reads[T any](read func(text string) (T, error)) kong.Option {
	decode := func(c *kong.DecodeContext, target reflect.Value) error {
		token, err := c.Scan.PopValue("a value")
		if err != nil {
			return err
		}
		value, err := read(strings.TrimSpace(fmt.Sprint(token.Value)))
		if err == nil {
			target.Set(reflect.ValueOf(value))
		}
		return err
	}
	return kong.TypeMapper(reflect.TypeFor[T](), kong.MapperFunc(decode))
}

// filled puts values into the texts of the options, where they stand as ${name}. kong would do the same with variables,
// but looks at each of them anew for each option, which is half of the time that a command takes to start.
func filled(values map[string]string) kong.Option {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "${"+name+"}", value)
	}
	texts := strings.NewReplacer(pairs...)
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
			if v, is := node.(*kong.Value); is { // of a flag or an argument
				v.Default, v.Help = texts.Replace(v.Default), texts.Replace(v.Help)
			}
			return next(nil)
		})
	})
}

// fromVariable is what is said of a value that a variable has.
var fromVariable = regexp.MustCompile(`^--[a-z-]+: (.*) \(from envar (\w+)=".*"\)$`)

// misread says why a command line was not understood, and where help is.
func misread(err error) string {
	said, help := err.Error(), "groundwork --help"
	if bad := (*kong.ParseError)(nil); errors.As(err, &bad) && bad.Context != nil {
		if command := commandOf(bad.Context); command != "" {
			help = "groundwork " + command + " --help"
		}
	}
	if m := fromVariable.FindStringSubmatch(said); m != nil {
		said = m[2] + ": " + m[1]
	} else if names, cut := strings.CutPrefix(said, "missing flags: "); cut {
		said = "an option is missing: " + strings.Replace(names, "=", " ", 1)
		if strings.Contains(names, ", ") {
			said = "options are missing: " + strings.ReplaceAll(names, "=", " ")
		}
	} else if name, cut := strings.CutPrefix(said, "expected \"<"); cut {
		name, _, _ = strings.Cut(name, ">")
		said = "the " + strings.ReplaceAll(name, "-", " ") + " is missing"
	}
	return fmt.Sprintf("%s\nRun %s for help.", said, help)
}

// commandOf is the command that was read, without its arguments.
func commandOf(c *kong.Context) string {
	var names []string
	for _, p := range c.Path {
		if p.Command != nil {
			names = append(names, p.Command.Name)
		}
	}
	return strings.Join(names, " ")
}
