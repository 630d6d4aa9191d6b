package foreign

import (
	"maps"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// field is what a column says of a record.
type field string

// The fields. A column that is known and has no field of its own here is a remark: it is kept as text.
const (
	ofUID      field = "uid" // the service's own name of the record
	ofNumber   field = "number"
	ofTitle    field = "title"
	ofText     field = "text" // description, or question
	ofAnswer   field = "answer"
	ofRoom     field = "room"
	ofStatus   field = "status"
	ofType     field = "type"
	ofList     field = "list"
	ofAssigned field = "assigned to"
	ofStart    field = "start date"
	ofDue      field = "due date"
	ofSent     field = "sent"
	ofCost     field = "cost impact"
	ofCostIs   field = "has cost impact"
	ofDelay    field = "schedule impact"
	ofDelayIs  field = "has schedule impact"
	ofRemark   field = "remark"
)

// export is what one tool of a service writes.
type export struct {
	service, name string // as they are typed: "procore", "punch"
	called        string // for people: "Procore's punch list"
	plural        string // what its rows become
	list          string // the issue list of rows that name none
	// columns are by the folded names of their headings.
	columns map[string]field
	// marks are headings that only this export has, or nearly.
	marks []string
	// statuses are by their folded words.
	statuses map[string]string
	// types are by their folded words.
	types map[string]string
}

// issueStatuses are words that mean the same wherever they stand.
var issueStatuses = map[string]string{
	"open": "open", "new": "open", "todo": "open", "notstarted": "open", "inprogress": "open", "reopened": "open",
	"inreview": "in_review", "readyforreview": "in_review", "review": "in_review",
	"pending": "pending", "onhold": "pending", "deferred": "pending",
	"closed": "closed", "done": "closed",
}

var rfiStatuses = map[string]string{
	"draft": "draft", "open": "open", "sent": "sent", "answered": "answered", "void": "void", "closed": "closed",
}

// exports are the tools whose files are known. Published as headings of a file are only those of Procore's template
// for importing a punch list (a deficiency or defect list elsewhere). All other headings are inferred, in likely
// spellings, from names of fields: those that Procore's help pages on RFIs and observations, PlanGrid's on tasks, its
// published API and Fieldwire's help pages on tasks have. A heading that is not here is no error: its column is kept
// as text.
var exports = []*export{
	{
		service: "plangrid", name: "tasks", called: "PlanGrid's tasks", plural: "issues",
		columns: with(common, headings{
			ofNumber: "number,task number,issue number,no", ofTitle: "title,name,task title,issue title",
			ofText: "description,details", ofRoom: "room,location", ofType: "type,task type,issue type",
			ofList: "list,list name,task list,issue list", ofAssigned: "assigned to,assignee,assignees,assigned to email",
			ofDue: "due date,due,due at", ofStart: "start date,start", ofUID: "uid,task uid,issue uid",
			ofRemark: "stamp,sheet,sheet number,sheet name,sheet title,sheets,watchers,followers,photos,comments," +
				"task url,url,link,currency,currency code,archived,root cause",
		}.read()),
		marks:    words("stamp,sheet,sheet name,sheet number,watchers,list,list name,task list,room,issue list"),
		statuses: with(issueStatuses, map[string]string{"resolved": "in_review", "complete": "in_review"}),
		types: map[string]string{
			"issue": "issue", "task": "issue", "punch": "issue", "plannedwork": "planned_work", "other": "other",
		},
	},
	{
		service: "plangrid", name: "rfis", called: "PlanGrid's RFIs", plural: "rfis",
		columns: with(common, headings{
			ofNumber: "number,rfi number,no", ofTitle: "title,name,rfi title", ofText: "question,description",
			ofAnswer: "answer,response", ofAssigned: "assigned to,assignee,assignees", ofDue: "due date,due,due at",
			ofSent: "sent,sent date,sent at,date sent", ofUID: "uid,rfi uid",
			ofRemark: "locked,attachments,photos,snapshots,references,watchers,comments,sheet",
		}.read()),
		marks:    words("sent date,sent at,sent,rfi title,locked,snapshots,answer,rfi uid"),
		statuses: rfiStatuses,
	},
	{
		service: "procore", name: "punch", called: "Procore's punch list", plural: "issues", list: "Punch list",
		columns: with(common, headings{
			ofNumber: "number,punch item number,deficiency item number,defect item number,item number,position",
			ofTitle:  "title,item name,name,subject,punch item title", ofText: "description",
			ofRoom: "location", ofAssigned: "assigned to,assigned,assignee,assignees,assignee s,assignee names",
			ofDue: "due date,due", ofUID: "id,punch item id",
			ofRemark: "type,punch item type,deficiency item type,defect item type,ball in court,punch item manager," +
				"deficiency item manager,defect item manager,manager,final approver,trade,cost code,reference," +
				"assignee company,assignee response,assignee responses,date notified,days past due,overdue," +
				"distribution,distribution member s,distribution members,drawings,schedule risk,workflow status",
		}.read()),
		marks: words("punch item manager,deficiency item manager,defect item manager,final approver,punch item type," +
			"deficiency item type,defect item type,punch item number,deficiency item number,defect item number," +
			"item name,days past due,assignee response"),
		statuses: with(issueStatuses, map[string]string{
			"draft": "open", "initiated": "open", "workrequired": "open", "worknotaccepted": "open",
			"workinprogress": "open", "notaccepted": "open", "readyforreview": "in_review", "workcompleted": "in_review",
			"readytoclose": "in_review", "readyforclosure": "in_review", "resolved": "in_review", "indispute": "pending",
		}),
	},
	{
		service: "procore", name: "observations", called: "Procore's observations", plural: "issues",
		list: "Observations",
		columns: with(common, headings{
			ofNumber: "number,observation number", ofTitle: "title,name,observation title", ofText: "description",
			ofRoom: "location", ofAssigned: "assignee,assigned to,assignees", ofDue: "due date,due",
			ofUID: "id,observation id",
			ofRemark: "type,observation type,observation category,category,trade,hazard,contributing condition," +
				"contributing behavior,contributing behaviour,specification section,spec section,origin," +
				"assignee company,distribution,distribution members,date notified,checklist,inspection,observation template",
		}.read()),
		marks: words("hazard,contributing condition,contributing behavior,contributing behaviour,observation type," +
			"observation category,observation number,origin,specification section,observation template"),
		statuses: with(issueStatuses, map[string]string{
			"initiated": "open", "draft": "open", "notaccepted": "open", "readyforreview": "in_review",
		}),
	},
	{
		service: "procore", name: "rfis", called: "Procore's RFIs", plural: "rfis",
		columns: with(common, headings{
			ofNumber: "number,rfi number", ofTitle: "subject,title,rfi subject", ofText: "question,questions,question body",
			ofAnswer:   "official response,official responses,answer,response,responses",
			ofAssigned: "assignees,assignee,assigned to,required assignees", ofDue: "due date,due",
			ofSent: "date initiated,initiated at,initiated", ofUID: "id,rfi id",
			ofRemark: "ball in court,rfi manager,received from,responsible contractor,distribution,distribution list," +
				"location,cost code,sub job,rfi stage,project stage,drawing number,drawing numbers,spec section," +
				"specification section,reference,closed date,revision,rejected,prefix",
		}.read()),
		marks: words("rfi manager,received from,responsible contractor,date initiated,official response,ball in court," +
			"rfi stage,subject,questions,official responses,rfi subject"),
		statuses: with(rfiStatuses, map[string]string{
			"closeddraft": "void", "recycled": "void", "closedrevised": "closed", "openrevised": "open",
		}),
	},
	{
		service: "fieldwire", name: "tasks", called: "Fieldwire's tasks", plural: "issues",
		columns: with(common, headings{
			ofNumber: "number,task number,task id,sequence number", ofTitle: "title,name,task title,task name",
			ofText: "description,notes", ofRoom: "location", ofList: "category,categories",
			ofAssigned: "assignee,assignees,assigned to,assignee email,owner",
			ofStart:    "start date,start", ofDue: "end date,due date,due", ofUID: "id,uuid",
			ofRemark: "plan,plan name,plan folder,floorplan,tags,tag,watchers,man power,manpower,man power value," +
				"man power unit,effort,cost,cost value,x pos,y pos,x position,y position,x,y,related tasks,checklist," +
				"checklists,last message,messages,completed date,completed at,completed on,verified date,verified at," +
				"verified on,team,creator,template,is deleted,forms,photos,files,due on,percent complete",
		}.read()),
		marks: words("plan,plan name,floorplan,category,end date,man power,manpower,x pos,y pos,verified date," +
			"verified at,plan folder,completed date,related tasks,tags,last message,man power value"),
		statuses: with(issueStatuses, map[string]string{
			"priority1": "open", "priority2": "open", "priority3": "open", "nopriority": "open",
			"completed": "in_review", "complete": "in_review", "verified": "closed",
		}),
	},
}

// common are the columns that mean the same in every export.
var common = headings{
	ofStatus: "status", ofStart: "start date",
	ofCost:    "cost impact amount,cost impact value,cost amount",
	ofCostIs:  "cost impact,has cost impact",
	ofDelay:   "schedule impact days,schedule impact day s,program impact days,programme impact days,delay days",
	ofDelayIs: "schedule impact,has schedule impact,program impact,programme impact",
	ofRemark: "priority,created by,creator,created at,created,created date,created on,date created,updated at,updated," +
		"last updated,date updated,modified,updated by,closed at,closed,closed date,date closed,closed by,closed on," +
		"completed by,private,attachments,comments,company,project,project name,project number",
}.read()

// everywhere are headings that say the same in any table: of lists that people keep themselves, say. They do not tell
// one export from another, and where a column has the field under a name of the export's own they are kept as text.
var everywhere = with(headings{ofUID: "id,uid,uuid", ofNumber: "number,no,nr,num"}.read(), assignedWords())

// assignedWords are the headings of columns that have either names or addresses of who is assigned.
func assignedWords() map[string]field {
	all := map[string]field{}
	for _, who := range words("assignee,assignees,assigned,assigned to") {
		for _, what := range words("name,names,full name,email,emails,email address,email addresses") {
			all[who+what] = ofAssigned
		}
	}
	return all
}

// headings are the names of columns by what they say, separated by commas.
type headings map[field]string

func (h headings) read() map[string]field {
	all := map[string]field{}
	for what, names := range h {
		for _, name := range words(names) {
			all[name] = what
		}
	}
	return all
}

// with gives a map with what is in both; the second is right where they differ.
func with[V any](base, more map[string]V) map[string]V {
	all := maps.Clone(base)
	maps.Copy(all, more)
	return all
}

// words are names, folded.
func words(list string) []string {
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = fold(all[i])
	}
	return all
}

// fold gives a name as it is compared: letters with their marks, and digits, in lower case. # and № are number.
func fold(name string) string {
	var out strings.Builder
	for _, c := range norm.NFC.String(name) {
		switch {
		case c == '#', c == '№':
			out.WriteString("number")
		case unicode.IsLetter(c), unicode.IsDigit(c), unicode.IsMark(c):
			out.WriteRune(unicode.ToLower(c))
		}
	}
	return out.String()
}
