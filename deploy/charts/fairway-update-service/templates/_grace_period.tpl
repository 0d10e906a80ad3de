{{- /*
terminationGracePeriodSeconds, which has to be enough: a Pod waits 5 s, drains, and then needs up to 10 s to write what it keeps.
*/}}
{{- define "fairway.gracePeriod" -}}
{{- $drain := .Values.settings.drain | default "25s" -}}
{{- $from := "settings.drain" -}}
{{- range .Values.env -}}
{{- if and (eq .name "FAIRWAY_DRAIN") .value -}}
{{- $drain = .value -}}
{{- $from = "FAIRWAY_DRAIN of env" -}}
{{- end -}}
{{- end -}}
{{- $given := int64 .Values.terminationGracePeriodSeconds -}}
{{- $least := add 15 (include "fairway.seconds" $drain | int64) -}}
{{- if lt $given $least -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, and has to be %d or more: %s is %s, and a Pod needs 15 s more" $given $least $from $drain) -}}
{{- end -}}
{{- $given -}}
{{- end }}

{{- /* The seconds of a duration, such as 1m30s or 1.5m, rounded up. */}}
{{- define "fairway.seconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 -}}
{{- $milliseconds := 0.0 -}}
{{- range regexFindAll "[0-9]*\\.?[0-9]+(ms|[smhdw])" . -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $milliseconds = addf $milliseconds (mulf (trimSuffix $unit . | float64) (get $units $unit)) -}}
{{- end -}}
{{- divf $milliseconds 1000.0 | ceil | int64 -}}
{{- end }}
