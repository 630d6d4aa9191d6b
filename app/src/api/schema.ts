// Generated from docs/openapi.json by `npm run types`; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Annotation. */
        Annotation: {
            color: string;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            geometry: {
                points: {
                    x: number;
                    y: number;
                }[];
            } | null;
            issue: components["schemas"]["Reference"] | null;
            /** @enum {string} */
            kind: "stamp" | "rectangle" | "cloud" | "ellipse" | "line" | "arrow" | "pen" | "highlight" | "text" | "photo" | "measure";
            /** @enum {string|null} */
            measure: "length" | "area" | null;
            photo: components["schemas"]["Reference"] | null;
            sheet: components["schemas"]["Reference"] | null;
            stamp: string | null;
            text: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            /** @enum {string} */
            visibility: "user" | "master";
            width: number | null;
        };
        AnnotationChange: {
            color?: string | null;
            geometry?: {
                points: {
                    x: number;
                    y: number;
                }[];
            } | null;
            /** @description A uid of issues. */
            issue_uid?: string | null;
            /** @enum {string|null} */
            kind?: "stamp" | "rectangle" | "cloud" | "ellipse" | "line" | "arrow" | "pen" | "highlight" | "text" | "photo" | "measure" | null;
            /** @enum {string|null} */
            measure?: "length" | "area" | null;
            /** @description A uid of photos. */
            photo_uid?: string | null;
            stamp?: string | null;
            text?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
            /** @enum {string|null} */
            visibility?: "user" | "master" | null;
            width?: number | null;
        };
        /** @description A window of a list. */
        AnnotationPage: {
            data: components["schemas"]["Annotation"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        BatchRequest: {
            /** @description A JSON object with at least one field, as a string. */
            body?: string | null;
            headers?: components["schemas"]["HeaderField"][] | null;
            /** @example GET */
            method: string;
            /** @example /projects?limit=10 */
            path: string;
        };
        BatchResult: {
            /** @description The JSON of the answer, as a string; empty when the answer has no body. */
            body: string;
            headers: components["schemas"]["HeaderField"][];
            status_code: number;
        };
        /** @description A change of one record. */
        Change: {
            actor: components["schemas"]["UserReference"] | null;
            /** @description With include=records: the entity tag of the record, for If-Match. */
            etag?: string | null;
            /** @description The names of the fields that changed; none for a create. */
            fields: string[];
            /** @description The plural of the record's kind. */
            kind: string;
            /**
             * @description touch, hide and latest only with include=records: what is shown with the record changed; the caller sees the record no longer; the record as a walk found it.
             * @enum {string}
             */
            operation: "create" | "update" | "delete" | "restore" | "link" | "unlink" | "touch" | "hide" | "latest";
            /** @description With include=records: the record as GET shows it now; null with hide. */
            record?: components["schemas"]["Project"] | components["schemas"]["Role"] | components["schemas"]["User"] | components["schemas"]["Issue"] | components["schemas"]["IssueList"] | components["schemas"]["Comment"] | components["schemas"]["RFI"] | components["schemas"]["RFIStatus"] | components["schemas"]["FieldReport"] | components["schemas"]["Document"] | components["schemas"]["Photo"] | components["schemas"]["Snapshot"] | components["schemas"]["Sheet"] | components["schemas"]["VersionSet"] | components["schemas"]["Annotation"] | components["schemas"]["View"] | null;
            /**
             * Format: int64
             * @description Later changes have greater ones; not every number is shown. In a walk with latest=true, that before the walk.
             */
            sequence: number;
            /** Format: date-time */
            time: string;
            uid: string;
        };
        /** @description A part of the change log. */
        ChangePage: {
            data: components["schemas"]["Change"][];
            /**
             * Format: int64
             * @description Where to go on: the next request's after.
             */
            next_after: number;
            /**
             * Format: uri
             * @description The next part; null where there is none yet.
             */
            next_page_url: string | null;
        };
        /** @description A reference to a collection of records. */
        Collection: {
            total_count: number;
            /** Format: uri */
            url: string | null;
        };
        /** @description Comment. */
        Comment: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            record: components["schemas"]["Reference"] | null;
            /** @enum {string} */
            record_type: "project" | "issue" | "rfi" | "sheet";
            text: string;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        CommentChange: {
            text?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        CommentPage: {
            data: components["schemas"]["Comment"][];
            /** Format: uri */
            next_page_url: string | null;
            /** @description Present, and true, where q met too much to look through: only whole words were compared, or not the newest texts, so that further records may match. Longer words find more. */
            search_truncated?: boolean;
            total_count: number;
        };
        /** @description Document. */
        Document: {
            content_type: string;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            first_version: components["schemas"]["Reference"] | null;
            folder: string | null;
            name: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            superseded_by: components["schemas"]["Reference"] | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            url: string | null;
            /** Format: int64 */
            version: number;
        };
        /** @description What the body leaves out stays, and null makes a field blank. A body that names all of name, folder is a whole form: null in it means not given. */
        DocumentChange: {
            folder?: string | null;
            name?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        DocumentPage: {
            data: components["schemas"]["Document"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        Error: {
            /** @description What is wrong with each field; _general is the whole body. */
            errors?: {
                [key: string]: string;
            };
            /** @description What went wrong, in a sentence for people. Its wording may change. */
            message: string;
            /**
             * Format: uri
             * @description On 409 to a create: the caller's own record that has the uid already. What the create meant may be done.
             */
            url?: string;
        };
        /** @description Field report. */
        FieldReport: {
            attachments: components["schemas"]["Collection"];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            custom_items: {
                array_val: string[];
                choice_val: string | null;
                /** Format: date */
                date_val: string | null;
                item_label: string | null;
                notes: string | null;
                number_val: number | null;
                section_label: string | null;
                text_val: string | null;
                toggle_val: boolean | null;
                value_name: string | null;
            }[];
            deleted: boolean;
            description: string | null;
            field_report_type: {
                name: string;
                project_uid: string;
                status: string;
                template_type: string;
                uid: string;
            } | null;
            pdf_form_values: {
                name: string;
                value: string | null;
            }[];
            pdf_url: string | null;
            pg_form_values: {
                pg_equipment_entries: {
                    deleted: boolean;
                    description: string | null;
                    item: string | null;
                    quantity: number | null;
                    /** Format: int64 */
                    timespan: number | null;
                    uid: string;
                }[];
                pg_materials_entries: {
                    deleted: boolean;
                    description: string | null;
                    item: string | null;
                    quantity: number | null;
                    uid: string;
                    unit: string | null;
                }[];
                pg_worklog_entries: {
                    deleted: boolean;
                    description: string | null;
                    /** Format: int64 */
                    headcount: number | null;
                    /** Format: int64 */
                    timespan: number | null;
                    trade: string | null;
                    uid: string;
                }[];
            };
            photos: components["schemas"]["Collection"];
            project_uid: string;
            /** Format: date */
            report_date: string;
            snapshots: components["schemas"]["Collection"];
            /** @enum {string} */
            status: "draft" | "submitted" | "archived";
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            weather: {
                humidity: number | null;
                precipitation_accumulation: number | null;
                precipitation_accumulation_unit: string | null;
                speed_unit: string | null;
                summary_key: string | null;
                temperature_max: number | null;
                temperature_min: number | null;
                temperature_unit: string | null;
                wind_bearing: number | null;
                wind_gust: number | null;
                wind_speed: number | null;
            } | null;
        };
        FieldReportChange: {
            custom_items?: {
                array_val?: string[] | null;
                choice_val?: string | null;
                /** Format: date */
                date_val?: string | null;
                item_label?: string | null;
                notes?: string | null;
                number_val?: number | null;
                section_label?: string | null;
                text_val?: string | null;
                toggle_val?: boolean | null;
                value_name?: string | null;
            }[] | null;
            description?: string | null;
            pdf_form_values?: {
                name: string;
                value?: string | null;
            }[] | null;
            pg_form_values?: {
                pg_equipment_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    item?: string | null;
                    quantity?: number | null;
                    /** Format: int64 */
                    timespan?: number | null;
                    uid?: string | null;
                }[] | null;
                pg_materials_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    item?: string | null;
                    quantity?: number | null;
                    uid?: string | null;
                    unit?: string | null;
                }[] | null;
                pg_worklog_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    /** Format: int64 */
                    headcount?: number | null;
                    /** Format: int64 */
                    timespan?: number | null;
                    trade?: string | null;
                    uid?: string | null;
                }[] | null;
            } | null;
            /** Format: date */
            report_date?: string | null;
            /** @enum {string|null} */
            status?: "draft" | "submitted" | "archived" | null;
            title?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
            weather?: {
                humidity?: number | null;
                precipitation_accumulation?: number | null;
                precipitation_accumulation_unit?: string | null;
                speed_unit?: string | null;
                summary_key?: string | null;
                temperature_max?: number | null;
                temperature_min?: number | null;
                temperature_unit?: string | null;
                wind_bearing?: number | null;
                wind_gust?: number | null;
                wind_speed?: number | null;
            } | null;
        };
        /** @description A window of a list. */
        FieldReportPage: {
            data: components["schemas"]["FieldReport"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        FileUpload: {
            aws_post_form_arguments: components["schemas"]["FormArguments"];
            storage_post_form_arguments: components["schemas"]["FormArguments"];
            uid: string;
            /** Format: uri */
            webhook_url: string;
        };
        /** @description The place for one file of a set of drawings. */
        FileUploadRequest: {
            /** @enum {string} */
            status: "issued" | "consumed";
            uid: string;
            /** @enum {string} */
            upload_status: "issued" | "consumed";
            url: string;
        };
        /** @description A folder of documents. */
        Folder: {
            attachments: {
                /** Format: int64 */
                total_count: number;
                url: string;
            };
            name: string | null;
        };
        /** @description A window of a list. */
        FolderPage: {
            data: components["schemas"]["Folder"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        FormArguments: {
            /** Format: uri */
            action: string;
            fields: {
                name: string;
                value: string;
            }[];
        };
        HeaderField: {
            name: string;
            value: string;
        };
        /** @description User, with the link of the invitation where no mail can be sent. */
        InvitedUser: {
            company: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            email: string | null;
            first_name: string | null;
            /**
             * Format: uri
             * @description Where the person chooses a password. Null when it is sent to them by mail; without a mail server, it is shown only to who made the account by inviting them, if their own address is proven, and only while no other project has invited the new one.
             */
            invitation_url: string | null;
            language: string | null;
            last_name: string | null;
            /** @description Whether the person has come, and their address is proven. */
            proven: boolean;
            removed: boolean;
            role: components["schemas"]["Reference"] | null;
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        /** @description Issue. */
        Issue: {
            assigned_to: components["schemas"]["UserReference"][] | null;
            assignees: {
                type: string;
                uid: string;
            }[];
            attachments: components["schemas"]["Collection"];
            /** Format: date-time */
            closed_at: string | null;
            comments: components["schemas"]["Collection"];
            cost_impact: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            currency_code: string | null;
            current_annotation: {
                color: string;
                deleted: boolean;
                sheet: components["schemas"]["Reference"] | null;
                stamp: string | null;
                uid: string;
                visibility: string;
            } | null;
            deleted: boolean;
            description: string | null;
            /** Format: date-time */
            due_at: string | null;
            followers: {
                type: string;
                uid: string;
            }[];
            has_cost_impact: boolean;
            has_schedule_impact: boolean;
            issue_list: components["schemas"]["Reference"] | null;
            number: number;
            photos: components["schemas"]["Collection"];
            room: string | null;
            /** Format: int64 */
            schedule_impact: number | null;
            snapshots: components["schemas"]["Collection"];
            /** Format: date */
            start_date: string | null;
            /** @enum {string} */
            status: "open" | "in_review" | "pending" | "closed";
            string: string | null;
            title: string | null;
            /** @enum {string|null} */
            type: "issue" | "planned_work" | "other" | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        IssueChange: {
            /** @description Uids of members; text is split at commas. */
            assigned_to?: string[] | string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to_uids?: string[] | string | null;
            cost_impact?: number | null;
            description?: string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            due_at?: string | null;
            has_cost_impact?: boolean | null;
            has_schedule_impact?: boolean | null;
            /** @description A uid of issue_lists. */
            issue_list_uid?: string | null;
            room?: string | null;
            /** Format: int64 */
            schedule_impact?: number | null;
            /** Format: date */
            start_date?: string | null;
            /** @enum {string|null} */
            status?: "open" | "in_review" | "pending" | "closed" | null;
            title?: string | null;
            /** @enum {string|null} */
            type?: "issue" | "planned_work" | "other" | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description One field that changed. */
        IssueChangeLog: {
            field: string;
            /** @description Any JSON. */
            new_value: unknown;
            /** @description Any JSON. */
            old_value: unknown;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        /** @description A window of a list. */
        IssueChangeLogPage: {
            data: components["schemas"]["IssueChangeLog"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description Issue list. */
        IssueList: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            name: string;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        IssueListChange: {
            name?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        IssueListPage: {
            data: components["schemas"]["IssueList"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        IssueListReplacement: {
            name: string;
        };
        /** @description A window of a list. */
        IssuePage: {
            data: components["schemas"]["Issue"][];
            /** Format: uri */
            next_page_url: string | null;
            /** @description Present, and true, where q met too much to look through: only whole words were compared, or not the newest texts, so that further records may match. Longer words find more. */
            search_truncated?: boolean;
            total_count: number;
        };
        /** @description A file that is made in the background. It can be fetched for 30 days. */
        LocatedShareable: {
            file_url: string | null;
            message: string | null;
            /** Format: int64 */
            progress: number;
            resource: {
                uid: string;
                url: string;
            };
            resource_url: string;
            /** @enum {string} */
            status: "incomplete" | "complete" | "errored";
            uid: string;
        };
        NewAnnotation: {
            color?: string | null;
            geometry?: {
                points: {
                    x: number;
                    y: number;
                }[];
            } | null;
            /** @description A uid of issues. */
            issue_uid?: string | null;
            /** @enum {string|null} */
            kind?: "stamp" | "rectangle" | "cloud" | "ellipse" | "line" | "arrow" | "pen" | "highlight" | "text" | "photo" | "measure" | null;
            /** @enum {string|null} */
            measure?: "length" | "area" | null;
            /** @description A uid of photos. */
            photo_uid?: string | null;
            /** @description A uid of sheets. */
            sheet_uid: string;
            stamp?: string | null;
            text?: string | null;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
            /** @enum {string|null} */
            visibility?: "user" | "master" | null;
            width?: number | null;
        };
        NewComment: {
            text: string;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
        };
        NewFieldReport: {
            custom_items?: {
                array_val?: string[] | null;
                choice_val?: string | null;
                /** Format: date */
                date_val?: string | null;
                item_label?: string | null;
                notes?: string | null;
                number_val?: number | null;
                section_label?: string | null;
                text_val?: string | null;
                toggle_val?: boolean | null;
                value_name?: string | null;
            }[] | null;
            description?: string | null;
            pdf_form_values?: {
                name: string;
                value?: string | null;
            }[] | null;
            pg_form_values?: {
                pg_equipment_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    item?: string | null;
                    quantity?: number | null;
                    /** Format: int64 */
                    timespan?: number | null;
                    uid?: string | null;
                }[] | null;
                pg_materials_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    item?: string | null;
                    quantity?: number | null;
                    uid?: string | null;
                    unit?: string | null;
                }[] | null;
                pg_worklog_entries?: {
                    deleted?: boolean | null;
                    description?: string | null;
                    /** Format: int64 */
                    headcount?: number | null;
                    /** Format: int64 */
                    timespan?: number | null;
                    trade?: string | null;
                    uid?: string | null;
                }[] | null;
            } | null;
            /** Format: date */
            report_date: string;
            /** @enum {string|null} */
            status?: "draft" | "submitted" | "archived" | null;
            title?: string | null;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
            weather?: {
                humidity?: number | null;
                precipitation_accumulation?: number | null;
                precipitation_accumulation_unit?: string | null;
                speed_unit?: string | null;
                summary_key?: string | null;
                temperature_max?: number | null;
                temperature_min?: number | null;
                temperature_unit?: string | null;
                wind_bearing?: number | null;
                wind_gust?: number | null;
                wind_speed?: number | null;
            } | null;
        };
        NewIssue: {
            /** @description Uids of members; text is split at commas. */
            assigned_to?: string[] | string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to_uids?: string[] | string | null;
            cost_impact?: number | null;
            description?: string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            due_at?: string | null;
            has_cost_impact?: boolean | null;
            has_schedule_impact?: boolean | null;
            /** @description A uid of issue_lists. */
            issue_list_uid?: string | null;
            room?: string | null;
            /** Format: int64 */
            schedule_impact?: number | null;
            /** Format: date */
            start_date?: string | null;
            /** @enum {string|null} */
            status?: "open" | "in_review" | "pending" | "closed" | null;
            title?: string | null;
            /** @enum {string|null} */
            type?: "issue" | "planned_work" | "other" | null;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
        };
        NewIssueList: {
            name: string;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
        };
        NewProject: {
            add_to_organization?: boolean | null;
            city?: string | null;
            country?: string | null;
            custom_id?: string | null;
            /** Format: date */
            end_date?: string | null;
            name: string;
            owner?: string | null;
            postal_code?: string | null;
            region?: string | null;
            /** Format: date */
            start_date?: string | null;
            status?: string | null;
            street_1?: string | null;
            street_2?: string | null;
            time_zone?: string | null;
            /** @enum {string|null} */
            type?: "general" | "manufacturing" | "power" | "water-sewer-waste" | "industrial-petroleum" | "transportation" | "hazardous-waste" | "telecom" | "education-k-12" | "education-higher" | "gov-federal" | "gov-state-local" | "other" | null;
        };
        NewRFI: {
            answer?: string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to?: string[] | string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to_uids?: string[] | string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            due_at?: string | null;
            locked?: boolean | null;
            question?: string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            sent_at?: string | null;
            /** @description A uid of rfi_statuses. */
            status?: string | null;
            title?: string | null;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
        };
        NewView: {
            columns?: string[] | null;
            group_by?: string | null;
            /** @enum {string|null} */
            layout?: "table" | "board" | "calendar" | "grid" | null;
            name: string;
            /** @enum {string} */
            of: "issues" | "sheets" | "rfis" | "photos" | "documents" | "field_reports";
            query?: string | null;
            sort?: string | null;
            /**
             * Format: uuid
             * @description The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. It is stored in lower case.
             */
            uid?: string | null;
            /** @enum {string|null} */
            visibility?: "user" | "master" | null;
        };
        /** @description Photo. */
        Photo: {
            content_type: string;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            display_url: string | null;
            /** Format: int64 */
            height: number | null;
            image_error: string | null;
            latitude: number | null;
            longitude: number | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            preview_url: string | null;
            sha256: string;
            /** Format: int64 */
            size: number;
            /** Format: date-time */
            taken_at: string | null;
            /** Format: int64 */
            taken_offset: number | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            thumbnail_url: string | null;
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            url: string | null;
            /** Format: int64 */
            width: number | null;
        };
        PhotoChange: {
            title?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        PhotoPage: {
            data: components["schemas"]["Photo"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description Project. */
        Project: {
            city: string | null;
            country: string | null;
            /** Format: date-time */
            created_at: string;
            custom_id: string | null;
            deleted: boolean;
            /** Format: date */
            end_date: string | null;
            latitude: number | null;
            longitude: number | null;
            name: string;
            organization_id: string | null;
            owner: string | null;
            postal_code: string | null;
            region: string | null;
            /** Format: date */
            start_date: string | null;
            status: string | null;
            street_1: string | null;
            street_2: string | null;
            time_zone: string | null;
            /** @enum {string|null} */
            type: "general" | "manufacturing" | "power" | "water-sewer-waste" | "industrial-petroleum" | "transportation" | "hazardous-waste" | "telecom" | "education-k-12" | "education-higher" | "gov-federal" | "gov-state-local" | "other" | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description What the body leaves out stays, and null makes a field blank. A body that names all of name, custom_id, type, status, owner, start_date, end_date, street_1, street_2, city, region, postal_code, country is a whole form: null in it means not given. */
        ProjectChange: {
            city?: string | null;
            country?: string | null;
            custom_id?: string | null;
            /** Format: date */
            end_date?: string | null;
            name?: string | null;
            owner?: string | null;
            postal_code?: string | null;
            region?: string | null;
            /** Format: date */
            start_date?: string | null;
            status?: string | null;
            street_1?: string | null;
            street_2?: string | null;
            time_zone?: string | null;
            /** @enum {string|null} */
            type?: "general" | "manufacturing" | "power" | "water-sewer-waste" | "industrial-petroleum" | "transportation" | "hazardous-waste" | "telecom" | "education-k-12" | "education-higher" | "gov-federal" | "gov-state-local" | "other" | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        ProjectPage: {
            data: components["schemas"]["Project"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description RFI. */
        RFI: {
            answer: string | null;
            assigned_to: components["schemas"]["UserReference"][];
            attachments: components["schemas"]["Collection"];
            comments: components["schemas"]["Collection"];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            /** Format: date-time */
            due_at: string | null;
            locked: boolean;
            number: number;
            photos: components["schemas"]["Collection"];
            question: string | null;
            /** Format: date-time */
            sent_at: string | null;
            snapshots: components["schemas"]["Collection"];
            status: {
                color: string;
                label: string;
                uid: string;
            };
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        /** @description What the body leaves out stays, and null makes a field blank. A body that names all of status, locked, title, question, answer, sent_at, due_at, assigned_to is a whole form: null in it means not given. */
        RFIChange: {
            answer?: string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to?: string[] | string | null;
            /** @description Uids of members; text is split at commas. */
            assigned_to_uids?: string[] | string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            due_at?: string | null;
            locked?: boolean | null;
            question?: string | null;
            /** @description A time such as 2026-03-31T16:00:00Z; without a zone it is UTC. */
            sent_at?: string | null;
            /** @description A uid of rfi_statuses. */
            status?: string | null;
            title?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description One field that changed. */
        RFIChangeLog: {
            field: string;
            /** @description Any JSON. */
            new_value: unknown;
            /** @description Any JSON. */
            old_value: unknown;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        /** @description A window of a list. */
        RFIChangeLogPage: {
            data: components["schemas"]["RFIChangeLog"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description A window of a list. */
        RFIPage: {
            data: components["schemas"]["RFI"][];
            /** Format: uri */
            next_page_url: string | null;
            /** @description Present, and true, where q met too much to look through: only whole words were compared, or not the newest texts, so that further records may match. Longer words find more. */
            search_truncated?: boolean;
            total_count: number;
        };
        /** @description RFI status. */
        RFIStatus: {
            color: string;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            label: string;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        RFIStatusChange: {
            color?: string | null;
            label?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        RFIStatusPage: {
            data: components["schemas"]["RFIStatus"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        RateLimit: {
            /** @description The length of a window in seconds. */
            interval: number;
            /** @description How many requests a window allows. */
            limit: number;
            /** @description How many are left in the present window. */
            remaining: number;
            /**
             * @description What is counted: all requests, or POST, PUT, PATCH and DELETE.
             * @enum {string}
             */
            request_type: "all" | "write";
            /**
             * Format: date-time
             * @description When the present window ends.
             */
            reset: string;
        };
        RateLimitError: {
            message: string;
            rate_limit: components["schemas"]["RateLimit"] | null;
        };
        /** @description A reference to one record. */
        Reference: {
            uid: string;
            /** Format: uri */
            url: string;
        };
        /** @description Role. */
        Role: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            label: string;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        /** @description A window of a list. */
        RolePage: {
            data: components["schemas"]["Role"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description A file that is made in the background. It can be fetched for 30 days. */
        Shareable: {
            file_url: string | null;
            message: string | null;
            /** Format: int64 */
            progress: number;
            resource: {
                uid: string;
                url: string;
            };
            /** @enum {string} */
            status: "incomplete" | "complete" | "errored";
            uid: string;
        };
        /** @description Sheet. */
        Sheet: {
            alignment: {
                points: {
                    before_x: number;
                    before_y: number;
                    x: number;
                    y: number;
                }[];
            } | null;
            comments: components["schemas"]["Collection"];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            current: boolean;
            /** Format: date */
            date: string | null;
            deleted: boolean;
            description: string | null;
            discipline: string | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            file_url: string | null;
            height: number;
            history_set_uid: string;
            links: {
                sheet: components["schemas"]["Reference"] | null;
                text: string;
                x0: number;
                x1: number;
                y0: number;
                y1: number;
            }[];
            name: string;
            number_confidence: number | null;
            /** Format: date-time */
            published_at: string | null;
            published_by: components["schemas"]["UserReference"] | null;
            scale: number | null;
            scale_proposed: number | null;
            sort_key: string;
            supersedes: components["schemas"]["Reference"] | null;
            tags: string[];
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            thumbnail_url: string | null;
            tiles_error: string | null;
            /**
             * Format: uri
             * @description A Deep Zoom descriptor, as OpenSeadragon opens it. It and its tiles need no credentials, are good for a day at least, and never change.
             */
            tiles_url: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            uploaded_file_name: string | null;
            version_name: string;
            version_set: components["schemas"]["Reference"] | null;
            width: number;
        };
        SheetChange: {
            alignment?: {
                points: {
                    before_x: number;
                    before_y: number;
                    x: number;
                    y: number;
                }[];
            } | null;
            description?: string | null;
            discipline?: string | null;
            name?: string | null;
            scale?: number | null;
            tags?: string[] | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        SheetPage: {
            data: components["schemas"]["Sheet"][];
            /** Format: uri */
            next_page_url: string | null;
            /** @description Present, and true, where q met too much to look through: only whole words were compared, or not the newest texts, so that further records may match. Longer words find more. */
            search_truncated?: boolean;
            total_count: number;
        };
        /** @description Snapshot. */
        Snapshot: {
            content_type: string;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            sha256: string;
            sheet: components["schemas"]["Reference"] | null;
            /** Format: int64 */
            size: number;
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            /**
             * Format: uri
             * @description A link that needs no credentials and is good for an hour at least.
             */
            url: string | null;
        };
        /** @description A window of a list. */
        SnapshotPage: {
            data: components["schemas"]["Snapshot"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description A text on a sheet and where it stands, as parts of the sheet's width and height. */
        TextPlace: {
            /** Format: int64 */
            angle: number;
            line: string;
            text: string;
            x0: number;
            x1: number;
            y0: number;
            y1: number;
        };
        /** @description A window of a list. */
        TextPlacePage: {
            data: components["schemas"]["TextPlace"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description User. */
        User: {
            company: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            email: string | null;
            first_name: string | null;
            language: string | null;
            last_name: string | null;
            /** @description Whether the person has come, and their address is proven. */
            proven: boolean;
            removed: boolean;
            role: components["schemas"]["Reference"] | null;
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
        };
        UserChange: {
            /** @description A uid of roles. */
            role_uid?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
        };
        /** @description A window of a list. */
        UserPage: {
            data: components["schemas"]["User"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description A reference to a member of the project's team. */
        UserReference: {
            email: string;
            uid: string | null;
            /** Format: uri */
            url: string | null;
        };
        /** @description Version set. */
        VersionSet: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            /** Format: int64 */
            pages_waiting: number;
            /** Format: date-time */
            published_at: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            version_name: string;
        };
        VersionSetChange: {
            pages?: {
                date?: string | null;
                description?: string | null;
                discipline?: string | null;
                /** Format: int64 */
                file: number;
                name?: string | null;
                /** Format: int64 */
                page: number;
                skip?: boolean | null;
                tags?: string[] | null;
            }[] | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
            version_name?: string | null;
        };
        /** @description A window of a list. */
        VersionSetPage: {
            data: components["schemas"]["VersionSet"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description A set of drawings on its way. */
        VersionUpload: {
            complete_url: string;
            file_upload_requests: {
                /** @enum {string} */
                status: "issued" | "consumed";
                uid: string;
                /** @enum {string} */
                upload_status: "issued" | "consumed";
                url: string;
            }[];
            processing: {
                error: string | null;
                files: {
                    error: string | null;
                    /** Format: int64 */
                    file: number;
                    file_name: string | null;
                    pages: {
                        date: string | null;
                        description: string | null;
                        description_confidence: number | null;
                        discipline: string | null;
                        error: string | null;
                        name: string | null;
                        number: string | null;
                        number_confidence: number | null;
                        /** Format: int64 */
                        page: number;
                        skip: boolean;
                        tags: string[];
                        thumbnail_url: string | null;
                        title_block_url: string | null;
                        waits: boolean;
                    }[];
                    /** @enum {string} */
                    status: "waiting" | "running" | "complete" | "errored";
                }[];
                /** Format: int64 */
                pages_done: number;
                /** Format: int64 */
                pages_total: number;
                /** Format: int64 */
                pages_waiting: number;
                published: boolean;
                /** @enum {string} */
                status: "waiting" | "running" | "complete" | "errored";
            };
            /** @enum {string} */
            status: "incomplete" | "complete" | "errored";
            uid: string;
        };
        /** @description View. */
        View: {
            columns: string[] | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["UserReference"] | null;
            deleted: boolean;
            group_by: string | null;
            /** @enum {string} */
            layout: "table" | "board" | "calendar" | "grid";
            name: string;
            /** @enum {string} */
            of: "issues" | "sheets" | "rfis" | "photos" | "documents" | "field_reports";
            query: string;
            sort: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: components["schemas"]["UserReference"] | null;
            /** @enum {string} */
            visibility: "user" | "master";
        };
        ViewChange: {
            columns?: string[] | null;
            group_by?: string | null;
            /** @enum {string|null} */
            layout?: "table" | "board" | "calendar" | "grid" | null;
            name?: string | null;
            query?: string | null;
            sort?: string | null;
            /** @description Tolerated where it equals the uid in the path. */
            uid?: string;
            /** @enum {string|null} */
            visibility?: "user" | "master" | null;
        };
        /** @description A window of a list. */
        ViewPage: {
            data: components["schemas"]["View"][];
            /** Format: uri */
            next_page_url: string | null;
            total_count: number;
        };
        /** @description Something that waits for the caller. */
        WorkItem: {
            comment: {
                /** Format: int64 */
                count: number;
                /** Format: date-time */
                created_at: string;
                created_by: {
                    email: string;
                    name: string;
                    uid: string | null;
                    url: string | null;
                };
                text: string;
                uid: string;
                url: string;
            } | null;
            /** Format: date-time */
            due_at: string | null;
            /** @enum {string} */
            kind: "issues" | "rfis";
            /** Format: int64 */
            number: number;
            overdue: boolean;
            project: {
                name: string;
                time_zone: string | null;
                uid: string;
                url: string;
            };
            /** @enum {string} */
            reason: "assigned" | "answer" | "comment";
            sheet: {
                name: string;
                uid: string;
                url: string;
            } | null;
            status: string;
            title: string | null;
            uid: string;
            /** Format: date-time */
            updated_at: string;
            url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
