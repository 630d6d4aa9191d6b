package api

// acceptable is what is said of headers where version 1 is served.
func acceptable(accept []string) error {
	_, err := majors{1}.choose(accept)
	return err
}
