{{- define "dominohall.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "dominohall.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 54 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 54 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 54 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "dominohall.selectorLabels" -}}
app.kubernetes.io/name: {{ include "dominohall.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The pods of the load test, or those of one role; not the service's own, whatever selects those. */}}
{{- define "dominohall.loadtestLabels" -}}
{{- $ := first . -}}
app.kubernetes.io/name: {{ include "dominohall.name" $ }}-loadtest
app.kubernetes.io/instance: {{ $.Release.Name }}
{{- range rest . }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "dominohall.labels" -}}
{{ include "dominohall.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "dominohall.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "dominohall.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "dominohall.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The claim that holds the embedded store; empty when the store is lost with its pod. */}}
{{- define "dominohall.claim" -}}
{{- if and (eq .Values.store.kind "sqlite") .Values.store.persistence.enabled }}
{{- default (include "dominohall.fullname" .) .Values.store.persistence.existingClaim }}
{{- end }}
{{- end }}

{{/* More than one pod: what spreads and protects them is worth having. */}}
{{- define "dominohall.several" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1) }}true{{ end }}
{{- end }}
