{{- define "groundwork.labels" -}}
app.kubernetes.io/name: groundwork
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "groundwork.selector" -}}
app.kubernetes.io/name: groundwork
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "groundwork.name" -}}
{{ .Release.Name }}-groundwork
{{- end }}

{{- define "groundwork.host" -}}
{{ .Values.publicURL | trimPrefix "https://" | trimSuffix "/" }}
{{- end }}
