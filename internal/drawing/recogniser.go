package drawing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// The settings of Config.Recognition beside the path of a program.
const (
	RecognitionOff  = "off"
	RecognitionAuto = "auto"
)

// recogniserName is the program that recognises letters: Tesseract, of the system.
const recogniserName = "tesseract"

// Recogniser is the program by which letters of scanned and outlined drawings are recognised, as it was found.
type Recogniser struct {
	// Program is its path, "" where there is none; then Why says the reason, and what to do.
	Program, Why string
	// Languages are those that it is asked for.
	Languages []string
	Walls     Walls
	// Wanted is whether the settings name a program: that there is none is then a fault.
	Wanted bool
}

// String says what there is, or why there is nothing.
func (r Recogniser) String() string {
	if r.Program == "" {
		return "off: " + r.Why
	}
	// It has its libraries in the root folder, and may read nothing else.
	walls := strings.Replace(r.Walls.String(), " in an empty root folder", "", 1)
	return fmt.Sprintf("%s, %s; behind %s", r.Program, strings.Join(r.Languages, " "), walls)
}

// recogniser is what was found out once.
type recogniser struct {
	once  sync.Once
	found Recogniser
}

const (
	// defaultSeen is how long a recogniser may use the processor for one picture, and seenMemory how many bytes of
	// memory it may have: a whole sheet of 24 by 36 inches takes 3 s and 230 MB.
	defaultSeen, seenMemory = 20 * time.Second, 1 << 30
	// seenRoom is how many bytes it may answer.
	seenRoom = 16 << 20
	// mostLanguages is how many languages a recogniser is asked for: each takes its time.
	mostLanguages = 3
)

// Recogniser finds the program that recognises letters, and tries it behind its walls, once.
func (w *Workshop) Recogniser(ctx context.Context) Recogniser {
	w.recogniser.once.Do(func() { w.recogniser.found = w.findRecogniser(ctx) })
	return w.recogniser.found
}

func (w *Workshop) findRecogniser(ctx context.Context) Recogniser {
	asked := w.config.Recognition
	if asked == "" || asked == RecognitionOff {
		return Recogniser{Why: "the settings say so"}
	}
	r := Recogniser{Wanted: asked != RecognitionAuto}
	name := asked
	if asked == RecognitionAuto {
		name = recogniserName
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		r.Why = fmt.Sprintf("%s is not installed, so scanned drawings have no numbers and words; on Debian: apt-get install tesseract-ocr", name)
		return r
	}
	var languages bytes.Buffer
	r.Walls, err = w.tryRecogniser(ctx, path, &languages)
	if err != nil {
		r.Why = path + " cannot be used: " + strings.Join(strings.Fields(err.Error()), " ")
		return r
	}
	if r.Languages = languagesOf(languages.String()); len(r.Languages) == 0 {
		r.Why = path + " has no languages; on Debian: apt-get install tesseract-ocr-eng"
		return r
	}
	r.Program = path
	return r
}

// languageName is how languages are called.
var languageName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/]{1,30}$`)

// preferred are the languages that drawings are read in, the most usual first. The first two know the letters of all
// others.
var preferred = []string{"Latin", "script/Latin", "eng", "deu", "fra", "spa", "ita", "por"}

// languagesOf chooses from a recogniser's own list.
func languagesOf(list string) (out []string) {
	var all []string
	for i, line := range strings.Split(list, "\n") {
		line = strings.TrimSpace(line)
		if i > 0 && languageName.MatchString(line) && line != "osd" && line != "equ" && len(all) < 200 {
			all = append(all, line)
		}
	}
	for _, name := range preferred {
		if slices.Contains(all, name) && len(out) < mostLanguages {
			if out = append(out, name); strings.HasSuffix(name, "Latin") {
				return out
			}
		}
	}
	if len(out) == 0 {
		return all[:min(len(all), 1)]
	}
	return out
}

// readable is what a recogniser may read beside itself: libraries and its own data. What lies around the folder of the
// workshop is not among it.
func (w *Workshop) readable(program string) (out []string) {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	prefix := filepath.Dir(filepath.Dir(program))
	ours := w.config.Folder
	if real, err := filepath.EvalSymlinks(ours); err == nil {
		ours = real
	}
	for _, path := range []string{
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
		"/usr/share/tesseract-ocr", "/usr/share/tessdata", "/usr/local/share/tessdata",
		filepath.Join(prefix, "lib"), filepath.Join(prefix, "share", "tessdata"),
		filepath.Join(prefix, "share", "tesseract-ocr"), "/sys/devices/system/cpu/possible",
	} {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || ours == real || strings.HasPrefix(ours, real+"/") {
			continue
		}
		out = append(out, path)
	}
	return out
}

// tryRecogniser has a program list its languages, and tell what stands around it.
func (w *Workshop) tryRecogniser(ctx context.Context, program string, to *bytes.Buffer) (walls Walls, err error) {
	tells, theirs, err := os.Pipe()
	if err != nil {
		return walls, err
	}
	defer tells.Close()
	r, out, err := os.Pipe()
	if err != nil {
		return walls, errors.Join(err, theirs.Close())
	}
	defer r.Close()
	listed := make(chan struct{})
	go func() {
		defer close(listed)
		_, _ = io.Copy(to, io.LimitReader(r, 64<<10))
	}()
	_, err = w.runRecogniser(ctx, recognition{
		program: program, args: []string{"--list-langs"}, out: out, tells: theirs, within: defaultSeen,
	})
	err = errors.Join(err, out.Close(), theirs.Close())
	<-listed
	if m, told := hear(tells, mostRequest); told == nil && m.Walls != nil {
		walls = *m.Walls
	}
	return walls, err
}

// recognition is one run of the recogniser.
type recognition struct {
	program string
	args    []string
	in      io.Reader
	out     *os.File
	tells   *os.File
	within  time.Duration
}

// runRecogniser runs the program behind its walls until it ends, or is ended; it says how long it used the processor.
func (w *Workshop) runRecogniser(ctx context.Context, r recognition) (spent time.Duration, err error) {
	text, err := json.Marshal(launching{
		Program: r.program, Args: r.args, Reads: w.readable(r.program), Memory: seenMemory,
		Seconds: int64(max(time.Second, r.within) / time.Second), Room: seenRoom, Relaxed: w.config.Relaxed,
		Tells: r.tells != nil,
	})
	if err != nil {
		return 0, err
	}
	said := &tail{}
	cmd := exec.Command(w.config.Command[0], w.config.Command[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{launchMarker + "=" + string(text), "GOMAXPROCS=1", "GOTRACEBACK=single", "TZ=UTC", "HOME=/"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.in, r.out, said
	cmd.SysProcAttr = apart()
	if r.tells != nil {
		if err := lend(cmd, r.tells); err != nil {
			return 0, err
		}
	}
	// What it started would keep its pipes open; it can start nothing, and nobody waits for more.
	cmd.WaitDelay = time.Second
	started := make(chan error)
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return 0, errors.New("the workshop is closed")
	}
	w.starts <- func() {
		if err := w.berth.keepTo(w.config.Children); err != nil {
			w.config.Log.Warn("a recogniser cannot keep to its processors", "error", err)
		}
		started <- cmd.Start()
	}
	err = <-started
	w.mu.Unlock()
	if err != nil {
		return 0, err
	}
	over := make(chan struct{})
	why := make(chan error, 1)
	go func() { why <- watch(ctx, cmd.Process.Pid, r.within, over) }()
	err = cmd.Wait()
	close(over)
	// Its group holds nobody else.
	endGroup(cmd.Process.Pid)
	if cmd.ProcessState != nil {
		spent = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if killed := <-why; killed != nil {
		return spent, errors.Join(killed, err)
	}
	if err != nil {
		return spent, fmt.Errorf("%w: %s", err, clip(said.String(), 500))
	}
	return spent, nil
}

// watch ends a process that takes too long or too much, and says why it did.
func watch(ctx context.Context, pid int, within time.Duration, over <-chan struct{}) error {
	limit, look := time.NewTimer(within*starved), time.NewTicker(watchEvery)
	defer limit.Stop()
	defer look.Stop()
	for {
		var why error
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			why = ctx.Err()
		case <-limit.C:
			why = errSlow
		case <-look.C:
			spent, _ := busy(pid)
			switch {
			case spent > within:
				why = errSlow
			case resident(pid) > seenMemory:
				why = errMemory
			case threads(pid) > mostThreads:
				why = errThreads
			}
		}
		if why != nil {
			endGroup(pid)
			<-over
			return why
		}
	}
}

// see has the recogniser look for words in a picture; its answer becomes a file. It is shown grey pixels behind a head
// that the service writes: whatever a worker made, it is a plain picture.
func (w *Workshop) see(ctx context.Context, f *File, made scanned, answer string, within time.Duration) (
	spent time.Duration, err error,
) {
	r := w.Recogniser(ctx)
	if r.Program == "" {
		return 0, errors.New(r.Why)
	}
	in, err := os.Open(made.Path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if !made.sound(info.Size()) {
		return 0, fmt.Errorf("%w: a picture of %d by %d pixels in %d bytes", errHostile, made.Width, made.Height,
			info.Size())
	}
	out, err := os.OpenFile(answer, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	done, err := w.turns.take(ctx, f.ahead.Load())
	if err != nil {
		return 0, errors.Join(err, out.Close())
	}
	defer done()
	spent, err = w.runRecogniser(ctx, recognition{
		program: r.Program, out: out, within: within, in: io.MultiReader(
			strings.NewReader(fmt.Sprintf("P5\n%d %d\n255\n", made.Width, made.Height)), in),
		args: []string{
			"stdin", "stdout", "-l", strings.Join(r.Languages, "+"), "--psm", "11", "--dpi", fmt.Sprint(made.dots()),
			"-c", "tessedit_create_tsv=1",
		},
	})
	return spent, errors.Join(err, out.Close())
}

// sound is whether a picture that a worker says it made can be one.
func (s *scanned) sound(bytes int64) bool {
	return s.Width > 0 && s.Height > 0 && s.Width <= mostLong && s.Height <= mostLong &&
		int64(s.Width)*int64(s.Height) == bytes && bytes <= mostScanned && s.Turn >= 0 && s.Turn <= 270 &&
		s.Turn%90 == 0 && math.Abs(s.Skew) <= 2*mostSkew &&
		finite(s.Ink, s.Area.X0, s.Area.Y0, s.Area.X1, s.Area.Y1) && s.Area.X0 < s.Area.X1 && s.Area.Y0 < s.Area.Y1
}

// dots is how many dots to the inch a picture has.
func (s *scanned) dots() int {
	wide := s.Area.X1 - s.Area.X0
	if s.Turn%180 != 0 {
		wide = s.Area.Y1 - s.Area.Y0
	}
	return int(min(max(float64(s.Width)/wide*72, 70), 600))
}
