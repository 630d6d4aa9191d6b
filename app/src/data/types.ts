import type { components } from '../api/schema'
import type { Live } from './live'

type Schemas = components['schemas']

export type Me = Schemas['User'] & { notifications?: boolean; operator?: boolean; photo_url?: string | null }
export type Project = Schemas['Project']
export type Member = Schemas['User']
export type Role = Schemas['Role']
export type Issue = Schemas['Issue']
export type IssueList = Schemas['IssueList']
export type Rfi = Schemas['RFI']
export type RfiStatus = Schemas['RFIStatus']
export type Comment = Schemas['Comment']
export type Annotation = Schemas['Annotation']
export type Document = Schemas['Document']
export type Photo = Schemas['Photo']
export type Snapshot = Schemas['Snapshot']
export type Sheet = Schemas['Sheet']
export type VersionSet = Schemas['VersionSet']
export type FieldReport = Schemas['FieldReport']
export type View = Schemas['View']
export type WorkItem = Schemas['WorkItem']

/** Records gives the type of a record by its kind. A kind is called as in the paths of the API. */
export interface Records {
	projects: Project
	roles: Role
	users: Member
	rfi_statuses: RfiStatus
	version_sets: VersionSet
	sheets: Sheet
	issue_lists: IssueList
	views: View
	issues: Issue
	annotations: Annotation
	rfis: Rfi
	comments: Comment
	photos: Photo
	snapshots: Snapshot
	attachments: Document
	field_reports: FieldReport
}

export type Kind = keyof Records

/** kinds are all kinds in the order in which a project is filled: what a first screen shows comes first. */
export const kinds = [
	'projects', 'roles', 'users', 'rfi_statuses', 'version_sets', 'sheets', 'issue_lists', 'views', 'issues',
	'annotations', 'rfis', 'comments', 'photos', 'snapshots', 'attachments', 'field_reports',
] as const satisfies readonly Kind[]

/** Creates gives the fields with which a record is made through the outbox. `uid` is made by the store. */
export interface Creates {
	issues: Omit<Schemas['NewIssue'], 'uid'>
	issue_lists: Omit<Schemas['NewIssueList'], 'uid'>
	rfis: Omit<Schemas['NewRFI'], 'uid'>
	annotations: Omit<Schemas['NewAnnotation'], 'uid'>
	field_reports: Omit<Schemas['NewFieldReport'], 'uid'>
	views: Omit<Schemas['NewView'], 'uid'>
	comments: Omit<Schemas['NewComment'], 'uid'>
}

/** Changes gives the fields that may be changed through the outbox. Send only those that the person changed. */
export interface Changes {
	projects: Schemas['ProjectChange']
	users: Schemas['UserChange']
	rfi_statuses: Schemas['RFIStatusChange']
	version_sets: Schemas['VersionSetChange']
	sheets: Schemas['SheetChange']
	issue_lists: Schemas['IssueListChange']
	issues: Schemas['IssueChange']
	annotations: Schemas['AnnotationChange']
	rfis: Schemas['RFIChange']
	comments: Schemas['CommentChange']
	photos: Schemas['PhotoChange']
	attachments: Schemas['DocumentChange']
	field_reports: Schemas['FieldReportChange']
	views: Schemas['ViewChange']
}

/** Removable are the kinds with a DELETE, Restorable those with a restore. A user is brought back by an invitation. */
export type Restorable = 'sheets' | 'issue_lists' | 'issues' | 'annotations' | 'rfis' | 'comments' | 'photos' |
	'snapshots' | 'attachments' | 'field_reports' | 'views'
export type Removable = Restorable | 'users'
/** Owners are the kinds whose records show others that were linked to them. */
export type Owner = 'issues' | 'rfis' | 'field_reports'
export type Linked = 'photos' | 'attachments' | 'snapshots'
/** Uploadable are the kinds that are made of a file in the browser; Filed are those that have files. */
export type Uploadable = 'photos' | 'attachments' | 'snapshots'
export type Filed = Uploadable | 'sheets'
/** FileForm is one of the files of a record: all have `file`, photos and sheets have pictures, sheets have `tiles`. */
export type FileForm = 'file' | 'display' | 'preview' | 'thumbnail' | 'tiles'

/** Marked says of a record that something of it is not the server's yet. */
export type Mark = 'waiting' | 'refused' | 'conflict'

export interface Filling {
	/**
	 * reading: what this device kept is being read. filling: the project arrives for the first time. live: it is followed,
	 * changes show within a second. behind: it shows what was last heard, and the line is down. gone: the person is not on
	 * the project any more, or it does not exist; nothing of it is kept.
	 */
	phase: 'reading' | 'filling' | 'live' | 'behind' | 'gone'
	/** The kinds whose records are all here. */
	filled: ReadonlySet<Kind>
	/** Kinds with more records than a device keeps: ask for them with list(). */
	large: ReadonlySet<Kind>
	/** How many records arrived so far. */
	arrived: number
	/** What the server said, where the phase is behind or gone. */
	sentence?: string
}

/**
 * ProjectStore is one project as its reader sees it: what the server said last, with the person's own unsent work on
 * top.
 */
export interface ProjectStore {
	readonly uid: string
	readonly filling: Live<Filling>
	/** Whether all records of a kind are here. */
	filled(kind: Kind): boolean
	/** The project's own record. */
	readonly project: Live<Project | undefined>
	/** The caller as a member of this project's team. */
	readonly member: Live<Member | undefined>

	/** All records of a kind that are not deleted, in the order of creation; the array is a new one after each change. */
	records<K extends Kind>(kind: K): Live<readonly Records[K][]>
	/** The deleted ones. */
	deleted<K extends Kind>(kind: K): Live<readonly Records[K][]>
	/** One record, deleted or not. */
	get<K extends Kind>(kind: K, uid: string): Records[K] | undefined
	one<K extends Kind>(kind: K, uid: string): Live<Records[K] | undefined>
	/** Records by what they belong to, deleted ones included: comments of a record, annotations of a sheet, … */
	by<I extends keyof Indexes>(index: I, key: string): readonly Records[Indexes[I]][]
	/** Whether a record has unsent, refused or disputed work. */
	mark(kind: Kind, uid: string): Mark | undefined
	/** Marks of all records that have one, by `kind/uid`. */
	readonly marks: Live<ReadonlyMap<string, Mark>>

	/** Asks the server for a list: history, words on drawings, kinds that are too large to keep. */
	list<T = unknown>(path: string, query?: Record<string, string | number | boolean>): Promise<Answer<Page<T>>>

	/** Each verb shows at once, is kept on the device, and is sent when the line allows. create gives the new uid. */
	create<K extends keyof Creates>(kind: K, fields: Creates[K]): string
	/** A comment belongs to a record, which may itself be unsent. */
	comment(on: 'issues' | 'rfis' | 'sheets', uid: string, text: string): string
	update<K extends keyof Changes>(kind: K, uid: string, fields: Changes[K]): void
	remove(kind: Removable, uid: string): void
	restore(kind: Restorable, uid: string): void
	link(kind: Owner, uid: string, linked: Linked, target: string): void
	unlink(kind: Owner, uid: string, linked: Linked, target: string): void

	/**
	 * Makes a photo, a document or a snapshot of a file, as it is. It is kept on the device in parts and sent when the
	 * line allows; link() may name it at once. Gives the new uid.
	 */
	upload(kind: Uploadable, file: File | Blob, fields?: UploadFields): string
	/** How far a file is on its way, from 0 to 1, by the uid of its record; a file that arrived is not in it. */
	readonly uploads: Live<ReadonlyMap<string, number>>
	/** The address of a file for `src` or `href`: the service's by content, or the device's while it is unsent. */
	file(kind: Filed, uid: string, form: FileForm): Live<string | undefined>

	/** Who else is at a record right now; nobody while the line is down. */
	present(kind: Kind, uid: string): Live<readonly Attendee[]>
	/** Says that the person looks at a record, or edits it, until what it gives is called. */
	attend(kind: Kind, uid: string, state: PresentState): () => void

	/** Resolves when everything that was entered so far is on the device: before it, a killed tab may lose it. */
	settled(): Promise<void>
	/** Stops following; the store stays on the device. A store that was opened twice is closed twice. */
	close(): void
}

/** UploadFields are what is known of a file besides: photos and snapshots have a title, documents name and folder. */
export interface UploadFields {
	title?: string
	/** Of a document; where it is missing, the name of the file. */
	name?: string
	folder?: string
	/** Of a snapshot: the uid of the sheet that it shows. */
	sheet?: string
}

export type PresentState = 'viewing' | 'editing'

/** Attendee is somebody who is at a record right now. */
export interface Attendee {
	uid: string
	email: string
	name: string
	state: PresentState
}

/** Indexes are what records can be looked up by, and the kind of record that is found. */
export interface Indexes {
	/** comments by the uid of the record they are on */
	commentsOf: 'comments'
	/** annotations by the uid of their sheet */
	annotationsOf: 'annotations'
	/** issues by the uid of their list */
	issuesOfList: 'issues'
	/** issues by the uid of an assignee */
	issuesOf: 'issues'
	/** issues by the uid of the sheet that they stand on */
	issuesOnSheet: 'issues'
	/** RFIs by the uid of an assignee */
	rfisOf: 'rfis'
	/** versions of a drawing by its history_set_uid */
	versionsOf: 'sheets'
	/** sheets by the uid of their version set */
	sheetsOfSet: 'sheets'
}

export interface Page<T> {
	data: T[]
	total_count: number
	next_page_url: string | null
}

/** Refusal is why the server, or the line to it, did not do something. */
export interface Refusal {
	/** The HTTP status; 0 where no answer came. */
	status: number
	/** The server's sentence, or one about the line. */
	sentence: string
	/** What is wrong, by the name of the field; what concerns the whole is in the sentence. */
	fieldErrors: Record<string, string>
	/**
	 * Where not the server refused: broken is a file of which this device does not have all, orphaned belongs to a record
	 * that was discarded before the project had it.
	 */
	reason?: 'broken' | 'orphaned'
	/** Quote it when you report a problem. */
	requestId?: string
}

export type Answer<T> = { ok: true; value: T } | ({ ok: false } & Refusal)

/** Disputed is a field that the person and somebody else changed at the same time. */
export interface Disputed {
	field: string
	base: unknown
	mine: unknown
	theirs: unknown
}

/** Entry is one thing that a person did and that the server has not confirmed yet. */
export interface Entry {
	readonly id: number
	readonly project: string
	readonly verb: 'create' | 'update' | 'remove' | 'restore' | 'link' | 'unlink'
	readonly kind: Kind
	readonly uid: string
	/** Of a comment: the record that it is on. */
	readonly on?: { kind: Kind; uid: string } | undefined
	/** What was entered, by field. */
	readonly fields: Readonly<Record<string, unknown>>
	/** Of what is made of a file: the file. */
	readonly file?: EntryFile | undefined
	/** When it was entered, in milliseconds. */
	readonly at: number
	readonly state: 'waiting' | 'sending' | 'refused' | 'conflict'
	/** Whether the server may have it: it is on its way, or its answer was lost. */
	readonly unsure: boolean
	/** The person gave it up when the server might have it: it is not sent again, and goes when that is known. */
	readonly unwanted: boolean
	/** How often it was tried. */
	readonly tries: number
	/** With refused: what the server said. */
	readonly refusal?: Refusal | undefined
	/** With conflict: what both changed. */
	readonly disputed?: readonly Disputed[] | undefined
}

export interface EntryFile {
	readonly name: string
	readonly type: string
	/** In bytes. */
	readonly size: number
	/** Whether the device has all of it. Until then it is lost when the tab that it was given to is closed. */
	readonly whole: boolean
}

/** Outbox is what waits to be sent, of all projects of the account. */
export interface Outbox {
	readonly entries: Live<readonly Entry[]>
	/** Whether the device keeps it. Where not, a closed tab loses what is unsent: warn of it. */
	readonly kept: Live<boolean>
	/** Sends a refused entry again with other fields. */
	mend(id: number, fields: Record<string, unknown>): Promise<void>
	/** Sends a refused entry again as it is, or a waiting one now. */
	retry(id: number): Promise<void>
	/** What comes to nothing without an entry, and is discarded with it: edits of a record that was never made. */
	hanging(id: number): readonly Entry[]
	/**
	 * Gives an entry up, and what hangs on it: all, or those that the person was told of; the others are put aside. Gives
	 * what the server does not have and never will; an entry that it may have is unwanted from now on, or was sent.
	 */
	discard(id: number, told?: readonly number[]): Promise<readonly Entry[]>
	/** Decides a conflict, field by field. */
	resolve(id: number, choice: Record<string, 'mine' | 'theirs'>): Promise<void>
	/** The unsent work as text, to be saved as a file. Of files it has the names: file() gives each of them. */
	asFile(): Promise<{ name: string; text: string }>
	/** How far files are on their way, of all projects; see ProjectStore. */
	readonly uploads: Live<ReadonlyMap<string, number>>
	/** The address of the device's copy of an unsent file, while somebody listens. */
	copy(uid: string): Live<string | undefined>
	/** The file of an entry, to be saved; undefined where nothing of it is here. */
	file(id: number): Promise<{ name: string; blob: Blob } | undefined>
}

/** ProjectLine is a project in the list of projects. */
export interface ProjectLine extends Project {
	/** When this device had it open last, in milliseconds. */
	openedAt?: number
	/** Whether something happened in it since then. */
	news: boolean
}

export interface Projects {
	/** Whether the list is known, from the device or from the server. */
	known: boolean
	list: readonly ProjectLine[]
	sentence?: string
}

export type Session =
	/** Nothing is known yet. */
	| { state: 'unknown' }
	/** Nobody is signed in, and nothing is kept. */
	| { state: 'out' }
	/** Somebody is signed in. */
	| { state: 'in'; me: Me }
	/** The session ended. What was entered is kept, and nothing is sent until the same person signs in again. */
	| { state: 'locked'; me: Me }

/** Work is what waits for a person in all of their projects, as the service said last. */
export interface Work {
	/** Whether it is known, from the device or from the service. */
	known: boolean
	list: readonly WorkItem[]
	/** When the service said so, in milliseconds. */
	at?: number
	/** Why it could not be read again. */
	sentence?: string
}

/** WorkList is Work that is kept up to date until it is closed. */
export interface WorkList {
	readonly items: Live<Work>
	/** Asks again. */
	refresh(): void
	close(): void
}

/** Desk is where a person works in this browser: who they are, their projects, and what waits to be sent. */
export interface Desk {
	readonly session: Live<Session>
	/** Whether the server answers. */
	readonly online: Live<boolean>
	readonly projects: Live<Projects>
	readonly outbox: Outbox
	/** Opens a project, once for all screens of the tab. */
	open(project: string): ProjectStore
	/** What waits for the person; whoever asked for it closes it. */
	work(): WorkList
	/** What is not in the store: these go to the server at once or fail with its sentence. */
	readonly direct: Direct
	/** Asks again who is signed in, after signing in again in place. */
	refresh(): Promise<Session>
	/** Signs in again in place; nothing that was typed is lost. */
	signIn(email: string, password: string): Promise<Answer<Session>>
	/** What is unsent; to be shown before signing out. */
	unsent(): Promise<readonly Entry[]>
	/** Wipes the device of this account, and ends the session. Without `discard` it refuses while work is unsent. */
	signOut(how?: { discard: boolean }): Promise<Answer<null>>
	close(): void
}

/** Direct are calls that need an answer before anything can be shown. */
export interface Direct {
	createProject(fields: Schemas['NewProject']): Promise<Answer<Project>>
	/** Invites a person, or brings one back, or writes to them again. */
	invite(project: string, fields: Invitation): Promise<Answer<Invited>>
	changeMe(fields: Record<string, unknown>): Promise<Answer<Me>>
	/** Sets of drawings that are being sent. */
	readonly drawings: Drawings
	/** Any other call of the API. Paths begin with a slash. */
	call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer<T>>
}

/** Drawings are the sets of drawings that this tab sends; they go on while the person looks at other screens. */
export interface Drawings {
	readonly sendings: Live<readonly Sending[]>
	/** Begins to send a set, which then waits for its review. Gives the id of the sending. */
	send(project: string, name: string, files: readonly File[]): number
	/** Sends what did not arrive once more. */
	retry(id: number): void
	/** Ends a sending, or puts one away that has ended. */
	forget(id: number): void
}

/** Sending is a set of drawings on its way to the service. */
export interface Sending {
	readonly id: number
	readonly project: string
	/** The name of the version set. */
	readonly name: string
	/** The uid of the version upload, once it has begun. */
	readonly upload?: string | undefined
	readonly files: readonly SendingFile[]
	readonly state: 'sending' | 'sent' | 'failed'
	readonly sentence?: string | undefined
}

export interface SendingFile {
	readonly name: string
	/** In bytes. */
	readonly size: number
	readonly sent: number
	readonly state: 'waiting' | 'sending' | 'sent' | 'failed'
	readonly sentence?: string | undefined
}

/** VersionUpload is how far a set of drawings was read, with what was read of each page. */
export type VersionUpload = Schemas['VersionUpload']
export type FileReading = VersionUpload['processing']['files'][number]
export type PageReading = FileReading['pages'][number]

export interface Invitation {
	email: string
	role_uid?: string
	first_name?: string
	last_name?: string
	language?: string
}

export type Invited = Schemas['InvitedUser']
