package main

func report() error { return nil }
