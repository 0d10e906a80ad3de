{{- /* Fails where two of service.ports cannot stand beside each other, which the schema cannot say. */}}
{{- define "fairway.checkPorts" -}}
{{- $names := dict -}}
{{- $numbers := dict -}}
{{- range .Values.service.ports -}}
{{- if hasKey $names .name -}}
{{- fail (printf "service.ports has two ports of the name %s" .name) -}}
{{- end -}}
{{- $number := printf "%d/%s" (int64 .port) (.protocol | default "TCP") -}}
{{- if hasKey $numbers $number -}}
{{- fail (printf "service.ports has %s twice" $number) -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- $_ := set $numbers $number true -}}
{{- end -}}
{{- end }}
