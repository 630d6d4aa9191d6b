// Package apitest owns the tests of the service as its clients meet it: it starts the whole service on each engine and
// speaks HTTP to it over TCP. It refuses to look inside: what it cannot see in a response is not part of the contract.
// Only tests import it.
//
// # Transcripts
//
// The files testdata/api/*.txtar are the contract as conversations. Each begins with prose that says what it shows,
// then has sections:
//
//	Issues are numbered per project, from 1.
//	-- setup --
//	account ada "Ada Lovelace"
//	account bob
//	project P by ada
//	member bob of P as Collaborator
//	-- request: Bob makes an issue --
//	POST /projects/{P}/issues
//	as: bob
//	set: ISSUE = uid
//
//	{"title": "Crack in the wall"}
//	-- response --
//	201 Created
//
//	{
//	  "uid": "{ISSUE}",
//	  …
//	}
//
// A set-up section has one step per line, done in order:
//
//	account NAME "First Last"             an account NAME@example.com with a key; the first one asks when a request does not say who
//	key NAME of ACCOUNT all/86400=1       a further key, with rate limits of its own if some are given; as: NAME uses it
//	revoke KEY                            deactivates a key (an account's first key has the account's name)
//	disable ACCOUNT                       disables an account
//	project NAME by ACCOUNT               a project; {NAME} is its uid
//	member ACCOUNT of PROJECT as ROLE     an invitation by whoever made the project
//	remove ACCOUNT of PROJECT             takes a member out
//	application NAME of ACCOUNT URI       an application; {NAME} is its client id, {NAME:secret} its secret
//	allow CODE of ACCOUNT for NAME SCOPES what an application gets when somebody allows it; all scopes where none is said
//	file NAME in FAMILY of PROJECT by ACCOUNT
//	                                      an uploaded file, of attachments, photos or snapshots; {NAME} is its uid
//	sheets A101 A102 of PROJECT           a published version set {SET} with these sheets, {A101} and so on, which no drawing was read for
//	plans A101 of PROJECT                 the same, with a plan on each sheet, each time the next revision of it; {A101:tiles} is its
//	                                      tiles_url without the ending .dzi
//	drawn 6 of PROJECT                    a set of six sheets that is drawn, uploaded and read; {A101} and so on, by their numbers without hyphens
//	work                                  does what waits to be done in the background
//	restart                               stops the service and starts it again on the same data
//
// A request begins with its method and path; lines that begin with # before it are remarks. Then come HTTP headers (a
// capital letter first; one without a value takes a default away) and lines to the player (lower case):
//
//	as: NAME              whose key is sent; nobody sends none
//	set: NAME = data.0.uid, set: NAME = header ETag
//	                      remembers a value of the response as {NAME}
//	show: ETag, X-Clock   headers that the response shall show; Allow, Content-Encoding, Location, Retry-After, WWW-Authenticate and a
//	                      Content-Type that is not JSON are always shown
//	advance: 90s          how far the service's clock moves before the request (one second when not said)
//	escapes: yes          the body has escapes such as \x00, \xff and \u2028, as in Go
//	body: not shown       the response's body is not part of the transcript
//
// and after an empty line the body, which is sent as JSON. A section "raw: TITLE" instead of "request: TITLE" holds the
// bytes of a whole request, with escapes; only the line ends of its head are made CRLF.
//
// In requests {NAME} stands for a value set before (a project, an account's uid, what set: remembered), {key:NAME} for
// a key, {basic:NAME} for it as Basic credentials, {ADMIN}, {POWER} and {COLLABORATOR} for the roles' uids, and
// {40*"["} for forty brackets.
//
// In responses everything that differs from run to run has a label: {NAME} or <uid:1> is a uid, <time:1> a moment shown
// by the service's clock with six digits of fraction (<time:1 whole> without any), <file:1> an object of the file
// store, <token:1> a completion's, <policy> and <signature> fields of an upload's form, <etag:1>, <cursor>, <id>
// (X-Request-Id), {base} the public address. Equal labels are equal values. Times and uids that came from the client,
// and the uids of roles, are shown as they are.
//
// Every exchange is also held against the OpenAPI document that the service gives of itself: the response against the
// schema of its status, an accepted body against the request's schema, each sub-request of a batch like a request. An
// operation that no transcript plays with success fails the suite.
//
// After a change that is meant to be seen, `make update` rewrites the responses (on SQLite; PostgreSQL must then give
// the same).
//
// # For other tests
//
// Engines runs a test on each engine, Start starts the service, Server.Account makes people, who send requests with Do,
// Want and Try.
package apitest
